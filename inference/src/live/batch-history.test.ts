// Covers inference-state.ts too.
import assert from "node:assert/strict";
import test from "node:test";
import type { Batch } from "@faceline/contracts/wire/batch";
import { BatchHistory } from "./batch-history.ts";
import { liveInference } from "./inference-state.ts";

const batch = { lane: "Dlib/ssd", predictedRunMs: 40 } as Batch;
const run = { size: 3, prepareMs: 5, runMs: 44, endedAt: 1_000 };
const live = (history: BatchHistory) =>
  liveInference({ now: 6_000, pool: "default", modelled: false, report: undefined, history });

test("the runs of a minute are shown with their times and predictions, and runs that take longer", () => {
  const history = new BatchHistory();
  history.add(batch, true, run);
  history.add(batch, true, { ...run, runMs: 54 });
  const { tables, status } = live(history);
  const { batches, tasks, meanRunMs, predictedMs } = tables["lastMinutes"]![0]!;
  assert.deepEqual([batches, tasks, meanRunMs, predictedMs], [2, 6, 49, 40]);
  assert.match(`${status.title}: ${status.detail}`, /^All is well: 0\.2 batches per second; runs take 1%/);
  for (let i = 0; i < 6; i++) history.add(batch, true, { ...run, runMs: 60 });
  assert.equal(live(history).status.title, "Slower than predicted");
});

test("a batch that could not be prepared failed, and did not run", () => {
  const history = new BatchHistory();
  history.add(batch, false, { ...run, size: 0, runMs: 0 });
  const { tables, status } = live(history);
  assert.deepEqual([tables["lastMinutes"]![0]!["batches"], status.title], [0, "Batches fail"]);
});

test("a worker that still loads its models has a page", () => {
  const { facts, tables } = live(new BatchHistory());
  assert.deepEqual([facts["now"], facts["partitions"], tables["lanes"]], ["loads its models", 0, []]);
});
