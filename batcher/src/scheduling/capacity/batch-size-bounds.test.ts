import assert from "node:assert/strict";
import test from "node:test";
import { batchTasks } from "@faceline/contracts/wire/batch";
import { laneId } from "@faceline/contracts/wire/ids";
import { call } from "../../../testing/fixtures.ts";
import { HopTimes } from "../estimates/hop-times.ts";
import { Lane } from "../state/lane.ts";
import { usefulBatch } from "./batch-size-bounds.ts";

const hops = new HopTimes({ hopMs: 3, replyMs: 3 });
const workers = { workers: 2, availableWorkers: 2, batchMax: 8, utilisationTarget: 0.85 };

test("a backlog tries each larger size whose time is old, until all of them were run", () => {
  const lane = newLane();
  assert.equal(usefulBatch(lane, hops, workers, 0).usefulSize, 1);
  wait(lane, 8);
  assert.equal(usefulBatch(lane, hops, workers, 0).usefulSize, 2);
  lane.estimates.learnRun(2, 200, 0);
  assert.equal(usefulBatch(lane, hops, workers, 0).usefulSize, 4);
  lane.estimates.learnRun(4, 400, 0);
  assert.equal(usefulBatch(lane, hops, workers, 0).usefulSize, 8);
  lane.estimates.learnRun(8, 800, 0);
  assert.equal(usefulBatch(lane, hops, workers, 0).usefulSize, 1);
});

test("no size is tried that the waiting tasks do not fill, or that is larger than an operator allows", () => {
  const lane = newLane();
  wait(lane, 1);
  assert.equal(usefulBatch(lane, hops, workers, 0).usefulSize, 1);
  wait(lane, 7);
  assert.equal(usefulBatch(lane, hops, { ...workers, batchMax: 1 }, 0).usefulSize, 1);
});

test("while one tenant floods beside a quiet one, batches are smaller, at a fifth of the throughput at most", () => {
  const lane = new Lane(laneId("Dlib", "ssd"), null, 0);
  lane.estimates.warmUp(
    [1, 2, 4, 8].map((size) => ({ size, runMs: 40 + 20 * size })),
    0,
  );
  assert.equal(usefulBatch(lane, hops, workers, 0).usefulSize, 8);
  for (let now = 0; now < 10_000; now += 10) lane.estimates.demand.add("flood", 2, now);
  for (let now = 0; now < 10_000; now += 1_000) lane.estimates.demand.add("quiet", 1, now);
  assert.equal(usefulBatch(lane, hops, workers, 10_000).usefulSize, 4);
});

/** A lane in which larger batches gain nothing, and only those of one were run for a while. */
function newLane(): Lane {
  const lane = new Lane(laneId("Dlib", "ssd"), null, 0);
  lane.estimates.warmUp(
    [1, 2, 4, 8].map((size) => ({ size, runMs: 100 * size })),
    0,
  );
  for (let run = 0; run < 200; run++) lane.estimates.learnRun(1, 100, 0);
  return lane;
}

function wait(lane: Lane, tasks: number): void {
  const event = call(`call-${tasks}`, tasks, { now: 0 });
  assert.ok(event.kind === "arrive");
  lane.queue.add("team", batchTasks(event.call), 0, () => 1);
}
