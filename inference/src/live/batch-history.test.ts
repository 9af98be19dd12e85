// Covers inference-state.ts too.
import assert from "node:assert/strict";
import test from "node:test";
import type { Batch } from "@faceline/contracts/wire/batch";
import { BatchHistory } from "./batch-history.ts";
import { liveInference } from "./inference-state.ts";

const batch = { lane: "Dlib/ssd", predictedRunMs: 40 } as Batch;

test("a run is shown with its size, its padding, its times and its prediction", () => {
  const history = new BatchHistory();
  history.add(batch, true, { size: 3, bucket: 4, prepareMs: 5, runMs: 44, endedAt: 1_000 });
  const { runs, tasks, answered } = history.read(2_100);
  assert.deepEqual(runs, [
    { lane: "Dlib/ssd", tasks: 3, bucket: 4, prepareMs: 5, runMs: 44, predictedRunMs: 40, isAnswered: true },
  ]);
  assert.deepEqual([tasks.at(-1), answered.all], [3, 1]);
});

test("a run that lies in several slots makes the worker busy in each", () => {
  const history = new BatchHistory();
  // From 3 s to 9 s; slots are 2 s long.
  history.add(batch, true, { size: 1, bucket: 1, prepareMs: 5, runMs: 6_000, endedAt: 9_000 });
  assert.deepEqual(history.read(10_000).busy.slice(-5), [0, 0.5, 1, 1, 0.5]);
});

test("a batch that could not be prepared failed, and did not run", () => {
  const history = new BatchHistory();
  history.add(batch, false, { size: 0, bucket: 0, prepareMs: 0, runMs: 0, endedAt: 1_000 });
  const { runs, busy, failed } = history.read(2_100);
  assert.deepEqual([runs, busy.at(-1), failed.all], [[], 0, 1]);
});

test("a worker that still loads its models has a page", () => {
  const parts = { now: 0, pool: "default", modelled: false, report: undefined };
  const live = liveInference({ ...parts, history: new BatchHistory() });
  assert.deepEqual([live.lanes, live.running, live.staged, live.partitions], [[], null, 0, 0]);
});
