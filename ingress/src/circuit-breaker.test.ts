import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { CircuitBreaker } from "./circuit-breaker.ts";

test("a failure opens the breaker, and the first successful probe closes it", async (t) => {
  const { breaker, probes, settle } = breakerWithProbes(t);
  assert.equal(breaker.isOpen, false);
  breaker.recordFailure();
  assert.equal(breaker.isOpen, true);
  await settle(() => probes.shift()!(false));
  t.mock.timers.tick(249);
  await settle();
  assert.equal(probes.length, 0);
  await settle(() => t.mock.timers.tick(1));
  assert.equal(breaker.isOpen, true);
  await settle(() => probes.shift()!(true));
  assert.equal(breaker.isOpen, false);
});

test("however many calls fail, one probe runs at a time", async (t) => {
  const { breaker, probes, settle } = breakerWithProbes(t);
  for (let i = 0; i < 100; i++) breaker.recordFailure();
  assert.equal(probes.length, 1);
  await settle(() => probes.shift()!(true));
  breaker.recordFailure();
  assert.equal(probes.length, 1);
});

test("a disposed breaker does not probe", async (t) => {
  const { breaker, probes, settle } = breakerWithProbes(t);
  breaker.recordFailure();
  breaker[Symbol.dispose]();
  await settle(() => probes.shift()!(false));
  await settle(() => t.mock.timers.tick(250));
  breaker.recordFailure();
  assert.equal(probes.length, 0);
});

function breakerWithProbes(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const probes: ((reachable: boolean) => void)[] = [];
  const breaker = new CircuitBreaker(() => new Promise((resolve) => probes.push(resolve)));
  /** Runs an action and everything that follows from it. */
  const settle = async (action: () => void = () => {}): Promise<void> => {
    action();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { breaker, probes, settle };
}
