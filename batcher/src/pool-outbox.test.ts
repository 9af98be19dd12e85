import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import { openPoolOutbox } from "./pool-outbox.ts";
import { decide } from "./scheduling/decide.ts";
import { call, newPool, report } from "./scheduling/scene.ts";

test("the pool's state is told within 5 ms of a jump, and unchanged every 500 ms", (t) => {
  const { tell, pass, said } = stage(t);
  tell(report("w1", { sizes, sentAt: 0 }));
  pass(5);
  assert.deepEqual(said(), [{ at: 5, workers: 1, waitMs: 23 }]);
  tell(report("w1", { sizes, sentAt: 5 }));
  pass(594);
  assert.deepEqual(said(), []);
  pass(1);
  assert.deepEqual(said(), [{ at: 600, workers: 1, waitMs: 23 }]);

  // 104 ms of work where nothing stood: the wait has more than doubled.
  const running = { batch: "batcher-ffffffffffffffff/1", startedAt: 600, endsAt: 704 };
  tell(report("w1", { sizes, sentAt: 600, running }));
  pass(5);
  assert.deepEqual(said(), [{ at: 605, workers: 1, waitMs: 99 }]);
  // The run comes to its end: a change, but no jump.
  pass(95);
  assert.deepEqual(said(), [{ at: 700, workers: 1, waitMs: 23 }]);
});

test("a small change waits for its turn, and a hundred events are looked at once", (t) => {
  const { tell, pass, said, looks } = stage(t);
  tell(report("w1", { sizes, sentAt: 0 }));
  pass(5);
  said();
  const before = looks();
  for (let index = 0; index < 100; index++) tell(report("w1", { sizes, sentAt: 5 }));
  pass(5);
  assert.deepEqual([said(), looks() - before], [[], 1]);
});

test("a quiet tenant's wait is told, not that of the one who floods", (t) => {
  const { tell, pass, said } = stage(t);
  const running = { batch: "batcher-ffffffffffffffff/1", startedAt: 0, endsAt: 100 };
  tell(report("w1", { sizes, sentAt: 0, running }));
  for (let index = 0; index < 40; index++) tell(call(`f${index}`, 2, { now: 0 }, "flood"));
  pass(5);
  // The running batch and a staged one of 8, 56 ms: of the 72 that wait, one goes before a newcomer.
  assert.deepEqual(said(), [{ at: 5, workers: 1, waitMs: 151 }]);
});

test("a batcher that stands by says nothing", (t) => {
  const { tell, pass, said } = stage(t, { active: () => false });
  tell(report("w1", { sizes, sentAt: 0 }));
  pass(500);
  assert.deepEqual(said(), []);
});

const sizes = [1, 2, 4, 8, 16, 32].map((size) => ({ size, runMs: 40 + 2 * size }));

function stage(t: TestContext, { active = (): boolean => true } = {}) {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const state = newPool();
  let now = 0;
  let looks = 0;
  let messages: PoolState[] = [];
  const outbox = openPoolOutbox({
    redis: { publish: async (_, message) => messages.push(JSON.parse(message)) },
    state,
    clock: { now: () => (looks++, now) },
    pool: "default",
    everyMs: 100,
    active,
    due: () => {},
  });
  t.after(() => outbox[Symbol.asyncDispose]());
  return {
    tell(event: Parameters<typeof decide>[1]) {
      decide(state, event, now);
      outbox.decided();
    },
    pass(ms: number) {
      for (let passed = 0; passed < ms; passed++) {
        now++;
        t.mock.timers.tick(1);
      }
    },
    said() {
      const heard = messages.map(({ sentAt: at, lanes: [lane] }) => ({
        at,
        workers: lane?.workers,
        waitMs: lane?.expectedWaitMs,
      }));
      messages = [];
      return heard;
    },
    looks: () => looks,
  };
}
