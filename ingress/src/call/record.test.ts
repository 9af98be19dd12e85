import assert from "node:assert/strict";
import test from "node:test";
import { facesAnswer, testRecord } from "../../testing/server.ts";

test("the parts and the rest sum up to the total, and gaps between parts are the rest", () => {
  const { record, clock } = openRecord();
  clock.at = 3;
  record.end("admission");
  clock.at = 4;
  record.begin("publish");
  clock.at = 6;
  record.end("publish");
  clock.at = 106;
  record.answered(answer({ hopMs: 5, holdMs: 2, queueMs: 20, prepareMs: 8, runMs: 60, publishedAt: 104 }));
  clock.at = 109;
  const parts = record.parts(clock.at);
  assert.deepEqual(parts, {
    admission: 3,
    publish: 2,
    hold: 2,
    queue: 20,
    retry: 0,
    hop: 7,
    prepare: 8,
    run: 60,
    answer: 0,
    gather: 3,
    unaccounted: 4,
    total: 109,
  });
});

test("clocks that disagree change single hops, and not their sum", () => {
  const hopOf = (batcherOffMs: number, workerOffMs: number): number => {
    const { record, clock } = openRecord();
    clock.at = 20;
    // Sent at 0, received by the batcher at 2, sent on at 10, received by the worker at 13, published at 18.
    const toBatcherMs = 2 + batcherOffMs;
    const toWorkerMs = 3 + workerOffMs - batcherOffMs;
    record.answered(answer({ hopMs: toBatcherMs + toWorkerMs, publishedAt: 18 + workerOffMs }));
    return record.parts(20).hop;
  };
  assert.deepEqual([hopOf(0, 0), hopOf(-4, 9)], [7, 7]);
});

test("the response waits for the last answer, so its parts are shown", () => {
  const { record, clock } = openRecord();
  record.answered(answer({ runMs: 40, publishedAt: 0 }));
  clock.at = 30;
  record.answered(answer({ runMs: 10, publishedAt: 29 }));
  const { run, hop } = record.parts(31);
  assert.deepEqual([run, hop], [10, 1]);
});

test("a step that has not ended lasts until the response: a refusal is all admission", () => {
  const { record } = openRecord();
  const { admission, unaccounted, total } = record.parts(12);
  assert.deepEqual([admission, unaccounted, total], [12, 0, 12]);
});

function openRecord() {
  const clock = { at: 0 };
  return { record: testRecord(() => clock.at), clock };
}

function answer(timing: Partial<ReturnType<typeof facesAnswer>["timing"]>) {
  const none = { hopMs: 0, queueMs: 0, holdMs: 0, retryMs: 0, attempts: 1 };
  return {
    ...facesAnswer([1, 0]),
    timing: { ...none, prepareMs: 0, runMs: 0, answerMs: 0, ...timing },
  };
}
