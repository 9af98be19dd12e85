import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import { call, newPool, report } from "../testing/fixtures.ts";
import { type KafkaLink, openPoolOutbox } from "./pool-outbox.ts";
import { decide } from "./scheduling/decide.ts";
import type { Event } from "./scheduling/state/state.ts";

test("the pool's state is published within 5 ms of a jump, and every 500 ms while it is unchanged", (t) => {
  const { handle, passMs, published } = openOutbox(t);
  handle(report("w1", { sizes, sentAt: 0 }));
  passMs(5);
  assert.deepEqual(published(), [{ at: 5, workers: 1, waitMs: 23 }]);
  handle(report("w1", { sizes, sentAt: 5 }));
  passMs(594);
  assert.deepEqual(published(), []);
  passMs(1);
  assert.deepEqual(published(), [{ at: 600, workers: 1, waitMs: 23 }]);

  // 104 ms of work on an idle worker: the wait has more than doubled.
  const running = { batch: "batcher-ffffffffffffffff/1", startedAt: 600, endsAt: 704 };
  handle(report("w1", { sizes, sentAt: 600, running }));
  passMs(5);
  assert.deepEqual(published(), [{ at: 605, workers: 1, waitMs: 99 }]);
  // The run comes to its end: a change, but no jump.
  passMs(95);
  assert.deepEqual(published(), [{ at: 700, workers: 1, waitMs: 23 }]);
});

test("a small change waits for the next regular state, and a hundred events cost one comparison", (t) => {
  const { handle, passMs, published, comparisons } = openOutbox(t);
  handle(report("w1", { sizes, sentAt: 0 }));
  passMs(5);
  published();
  const before = comparisons();
  for (let index = 0; index < 100; index++) handle(report("w1", { sizes, sentAt: 5 }));
  passMs(5);
  assert.deepEqual([published(), comparisons() - before], [[], 1]);
});

test("the published wait is that of a tenant with nothing waiting, not that of one who floods", (t) => {
  const { handle, passMs, published } = openOutbox(t);
  const running = { batch: "batcher-ffffffffffffffff/1", startedAt: 0, endsAt: 100 };
  handle(report("w1", { sizes, sentAt: 0, running }));
  for (let index = 0; index < 40; index++) handle(call(`f${index}`, 2, { now: 0 }, "flood"));
  passMs(5);
  // The running batch and a staged one of 8, 56 ms: of the 72 that wait, one goes before a newcomer.
  assert.deepEqual(published(), [{ at: 5, workers: 1, waitMs: 151 }]);
});

test("a batcher that stands by publishes nothing, nor one that has lost its partition or is stopping", (t) => {
  for (const events of [
    [],
    [assigned, { kind: "partition_lost" }],
    [assigned, { kind: "drain" }],
  ] as Event[][]) {
    const { handle, passMs, published } = openOutbox(t, events);
    handle(report("w1", { sizes, sentAt: 0 }));
    passMs(500);
    assert.deepEqual(published(), []);
  }
});

test("while Kafka does not answer the pool has no workers, and that is published within 5 ms", (t) => {
  const { handle, passMs, published, linkIs } = openOutbox(t);
  handle(report("w1", { sizes, sentAt: 0 }));
  passMs(5);
  assert.deepEqual(published(), [{ at: 5, workers: 1, waitMs: 23 }]);
  linkIs("silent");
  passMs(5);
  assert.deepEqual(published(), [{ at: 10, workers: 0, waitMs: 23 }]);
  // Another batcher may publish now.
  linkIs("lost");
  passMs(600);
  assert.deepEqual(published(), []);
  linkIs("responsive");
  passMs(5);
  assert.deepEqual(published(), [{ at: 615, workers: 1, waitMs: 23 }]);
});

test("a batcher that takes over publishes nothing until Kafka has answered it", (t) => {
  const { handle, passMs, published, linkIs } = openOutbox(t, []);
  linkIs("silent");
  handle(assigned);
  handle(report("w1", { sizes, sentAt: 0 }));
  passMs(600);
  assert.deepEqual(published(), []);
  linkIs("responsive");
  passMs(5);
  assert.deepEqual(
    published().map(({ workers }) => workers),
    [1],
  );
});

test("the state says what keeps tasks from the workers, and how soon a standby takes over", (t) => {
  const { handle, passMs, publishedContent, parts } = openOutbox(t);
  const worker = (partitions: number[], draining = false) =>
    handle(report("w1", { sizes, sentAt: 0, partitions, draining }));
  const blockedBy = () => {
    passMs(100);
    return publishedContent()?.blockedBy;
  };
  // One that has just started has no partition yet.
  worker([]);
  assert.equal(blockedBy(), undefined);
  worker([0]);
  worker([]);
  assert.equal(blockedBy(), "kafka");
  worker([0]);
  parts.hasReports = () => false;
  assert.equal(blockedBy(), "redis-volatile");
  parts.hasTopic = () => false;
  assert.equal(blockedBy(), "kafka");
  assert.deepEqual(
    publishedContent()?.lanes.map(({ workers }) => workers),
    [0],
  );
  Object.assign(parts, { hasReports: () => true, hasTopic: () => true, takeoverMs: () => 4_000 });
  worker([], true);
  assert.equal(blockedBy(), undefined);
  assert.equal(publishedContent()?.takeoverMs, 4_000);
});

test("from the end of its session on a batcher publishes nothing, until the session is renewed", (t) => {
  const { handle, passMs, published, linkIs } = openOutbox(t);
  handle(report("w1", { sizes, sentAt: 0 }));
  handle({ kind: "session", endsAt: 700 });
  passMs(5);
  linkIs("silent");
  passMs(694);
  assert.deepEqual(published(), [
    { at: 5, workers: 1, waitMs: 23 },
    { at: 10, workers: 0, waitMs: 23 },
    { at: 600, workers: 0, waitMs: 23 },
  ]);
  passMs(1_000);
  assert.deepEqual(published(), []);
  handle({ kind: "session", endsAt: 10_000 });
  passMs(5);
  assert.equal(published().length, 1);
});

const sizes = [1, 2, 4, 8, 16, 32].map((size) => ({ size, runMs: 40 + 2 * size }));
const assigned: Event = { kind: "partition_assigned" };

function openOutbox(t: TestContext, events = [assigned]) {
  t.mock.timers.reset();
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const state = newPool();
  for (const event of events) decide(state, event, 0);
  let now = 0;
  let comparisons = 0;
  let kafka: KafkaLink = "responsive";
  let messages: PoolState[] = [];
  let latest: PoolState | undefined;
  const parts = {
    redis: {
      publish: async (_: string, message: string) =>
        messages.push((latest = JSON.parse(message) as PoolState)),
    },
    state,
    clock: { now: () => (comparisons++, now) },
    pool: "default",
    kafka: () => kafka,
    hasTopic: () => true,
    hasReports: () => true,
    takeoverMs: () => undefined,
  };
  const outbox = openPoolOutbox(parts);
  t.after(() => outbox[Symbol.asyncDispose]());
  return {
    parts,
    publishedContent: () => latest,
    handle(event: Event) {
      decide(state, event, now);
      outbox.stateChanged();
    },
    passMs(ms: number) {
      for (let passed = 0; passed < ms; passed++) {
        now++;
        t.mock.timers.tick(1);
        // As the scheduler's loop does.
        if (now % 100 === 0) outbox.compare();
      }
    },
    published() {
      const states = messages.map(({ sentAt: at, lanes: [lane] }) => ({
        at,
        workers: lane?.workers,
        waitMs: lane?.expectedWaitMs,
      }));
      messages = [];
      return states;
    },
    linkIs(link: KafkaLink) {
      kafka = link;
      outbox.stateChanged();
    },
    /** The outbox reads the clock once for each. */
    comparisons: () => comparisons,
  };
}
