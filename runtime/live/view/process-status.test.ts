import assert from "node:assert/strict";
import test from "node:test";
import {
  batcher,
  caller,
  count,
  inference,
  ingress,
  lane,
  series,
  stateOf,
  worker,
} from "../testing/states.ts";
import { processStatus } from "./process-status.ts";

const status = (part: Parameters<typeof stateOf>[0], checks?: Record<string, boolean>) => {
  const { level, title, detail } = processStatus(stateOf(part, checks));
  return [level, title, detail];
};

test("a healthy process says what it does, and how much of it", () => {
  assert.deepEqual(status(batcher()), [
    "ok",
    "All is well",
    "30 tasks per second in batches of 12; nothing is refused. The oldest task waits for 0 ms.",
  ]);
  assert.deepEqual(status(ingress()), [
    "ok",
    "All is well",
    "10 requests per second are answered; nothing is refused.",
  ]);
  assert.deepEqual(status(inference()), [
    "ok",
    "All is well",
    "2 batches per second; runs take 50 % of the time.",
  ]);
});

test("a process without work is idle, which is not an alarm", () => {
  assert.deepEqual(status(batcher({ sent: series(0) }))[1], "Idle");
  assert.deepEqual(status(ingress({ answered: series(0) }))[1], "Idle");
  assert.deepEqual(status(inference({ answered: count(0, 50) }))[1], "Idle");
});

test("shedding names its share and its main reason", () => {
  const shed = { queue_too_long: count(90), deadline_infeasible: count(10), early_drop: count(0, 500) };
  assert.deepEqual(status(batcher({ shed })), [
    "attention",
    "Overloaded",
    "25 % of the tasks are refused, 10 per second; most of them would have waited too long in the queue (queue_too_long).",
  ]);
});

test("what is over does not alarm", () => {
  const shed = { queue_too_long: count(0, 4_000), deadline_infeasible: count(0), early_drop: count(0) };
  assert.equal(status(batcher({ shed }))[0], "ok");
});

test("waiting tasks without a worker come before shedding", () => {
  const stranded = lane({ lane: "Dlib/tiny", waiting: 12, wait: { kind: "no_worker" } });
  const shed = { queue_too_long: count(90), deadline_infeasible: count(10), early_drop: count(0) };
  const [level, title, detail] = status(batcher({ lanes: [lane(), stranded], shed }));
  assert.deepEqual([level, title], ["problem", "No worker"]);
  assert.match(detail!, /^12 tasks of Dlib\/tiny wait/);
});

test("failed tasks, late tasks and batches that are sent again are counted apart", () => {
  const failed = { ...batcher().failed, image_lost: count(30) };
  assert.deepEqual(status(batcher({ failed })), [
    "problem",
    "Tasks fail",
    "3 per second; most of them: its image was no longer in Redis (image_lost).",
  ]);
  assert.equal(status(batcher({ expired: count(5) }))[1], "Tasks are late");
  const retried = lane({ reasons: { ...lane().reasons, retry: count(4) } });
  assert.deepEqual(status(batcher({ lanes: [retried] })).slice(0, 2), [
    "attention",
    "Batches are sent again",
  ]);
  const [bad, good] = [worker({ lostBatches: count(3) }), worker({ worker: "inference-00000000000012ab" })];
  assert.match(status(batcher({ lanes: [retried], workers: [good, bad] }))[2]!, /most of them: .*e158\.$/);
  const slow = worker({ runRatio: 1.84, isSlow: true });
  assert.deepEqual(status(batcher({ workers: [good, slow] })), [
    "attention",
    "A worker is slow",
    "inference …e158 takes 1.8 times as long as the others for batches of the same size.",
  ]);
});

test("a standby says so and alarms nobody; a batcher without Kafka's session does", () => {
  assert.deepEqual(status(batcher({ role: "standby", lanes: [] })).slice(0, 2), ["ok", "Standby"]);
  assert.deepEqual(status(batcher({ role: "cut_off" })).slice(0, 2), ["problem", "Cut off from Kafka"]);
});

test("what a process needs and lacks comes first", () => {
  assert.deepEqual(status(batcher({ role: "standby" }), { "redis-volatile": true, kafka: false }), [
    "problem",
    "Not ready",
    "Kafka has not answered lately.",
  ]);
  for (const check of ["start", "redis-volatile", "kafka", "serving", "connections"]) {
    assert.doesNotMatch(status(batcher(), { [check]: false })[2]!, /The check/, check);
  }
});

test("a worker whose runs take longer than its batcher predicts does not say that all is well", () => {
  const [run] = inference().runs;
  const runs = (runMs: number, length: number) => Array.from({ length }, () => ({ ...run!, runMs }));
  assert.deepEqual(status(inference({ runs: runs(72, 20) })), [
    "attention",
    "Slower than predicted",
    "Half of the last 20 runs took 1.5 times as long as predicted, or longer. The batcher learns from all workers: its page compares them.",
  ]);
  assert.equal(status(inference({ runs: runs(72, 7) }))[1], "All is well");
  assert.equal(status(inference({ runs: runs(55, 20) }))[1], "All is well");
});

test("a Redis that is nearly full is named, unless something is worse", () => {
  const filled = (part: Parameters<typeof stateOf>[0]) => {
    const state = stateOf(part);
    state.health.redis = { usedBytes: 93, maxBytes: 100 };
    return processStatus(state).title;
  };
  assert.equal(filled(ingress({ refused: series(25) })), "Redis is nearly full");
  assert.equal(filled(ingress({ failed: series(1) })), "Requests fail");
});

test("an ingress says why calls are refused, why they fail, and which pool is away", () => {
  const refusal = {
    outcome: "queue_full",
    words: "More calls wait than it holds.",
    kind: "refused",
    count: count(25),
  } as const;
  const failure = {
    outcome: "upstream_failed",
    words: "The workers failed.",
    kind: "failed",
    count: count(1),
  } as const;
  const outcomes = [...ingress().outcomes, refusal, failure];
  assert.deepEqual(status(ingress({ refused: series(25), outcomes })), [
    "attention",
    "Requests are refused",
    "20 %, 2.5 per second; most of them queue_full: More calls wait than it holds. Most refused: ants (80 %).",
  ]);
  const loudest = [caller("ants", { refused: count(5) }), caller("bees", { refused: count(5) })];
  const callers = { loudest, others: caller("~others") };
  assert.match(status(ingress({ refused: series(25), outcomes, callers }))[2]!, /holds\.$/);
  assert.deepEqual(status(ingress({ failed: series(1), refused: series(25), outcomes })).slice(0, 2), [
    "problem",
    "Requests fail",
  ]);
  assert.equal(status(ingress({ pools: [{ pool: "gpu", lanes: null }] }))[1], "A pool is away");
});
