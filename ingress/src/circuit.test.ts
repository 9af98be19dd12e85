import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { Circuit } from "./circuit.ts";

test("a failure opens it, and the first probe that succeeds closes it", async (t) => {
  const { circuit, probes, turn } = stage(t);
  assert.equal(circuit.open, false);
  circuit.failed();
  assert.equal(circuit.open, true);
  await turn(() => probes.shift()!(false));
  t.mock.timers.tick(249);
  await turn();
  assert.equal(probes.length, 0);
  await turn(() => t.mock.timers.tick(1));
  assert.equal(circuit.open, true);
  await turn(() => probes.shift()!(true));
  assert.equal(circuit.open, false);
});

test("however many fail, one probe goes on at a time", async (t) => {
  const { circuit, probes, turn } = stage(t);
  for (let i = 0; i < 100; i++) circuit.failed();
  assert.equal(probes.length, 1);
  await turn(() => probes.shift()!(true));
  circuit.failed();
  assert.equal(probes.length, 1);
});

test("it probes no more once it is disposed of", async (t) => {
  const { circuit, probes, turn } = stage(t);
  circuit.failed();
  circuit[Symbol.dispose]();
  await turn(() => probes.shift()!(false));
  await turn(() => t.mock.timers.tick(250));
  circuit.failed();
  assert.equal(probes.length, 0);
});

function stage(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const probes: ((reachable: boolean) => void)[] = [];
  const circuit = new Circuit(() => new Promise((resolve) => probes.push(resolve)));
  /** Does it, and lets everything that follows from it happen. */
  const turn = async (what: () => void = () => {}): Promise<void> => {
    what();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { circuit, probes, turn };
}
