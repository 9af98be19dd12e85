import assert from "node:assert/strict";
import test from "node:test";
import { readConfig } from "@faceline/runtime/config";
import { openLog } from "@faceline/runtime/log";
import { OtlpConfig } from "@faceline/runtime/otlp-config";
import { metricsOff } from "@faceline/runtime/metrics/metrics";
import { openMetrics } from "@faceline/runtime/metrics/open-metrics";
import { answered, call, newPool, report } from "../testing/fixtures.ts";
import { SchedulerMetrics } from "./scheduler-metrics.ts";
import { decide } from "./scheduling/decide.ts";
import type { Event, Move } from "./scheduling/state/state.ts";

test("the page tells how batches were formed, what was shed, and how good the predictions were", async () => {
  await using pool = await openPool();
  pool.handle({ kind: "partition_assigned" }, 0);
  pool.handle(report("w1"), 0);
  const moves = pool.handle(call("one", 3, { now: 0 }), 20);
  const batch = moves.find((move) => move.kind === "dispatch")!.batch;
  // Predicted: a hop of about 3 ms and a run of 18 ms for 4 places, from 20 on.
  const finished = [{ ...answered(batch), endedAt: 100, runMs: 18, prepareMs: 5 }];
  pool.handle(report("w1", { sentAt: 101, finished }), 102);
  // Reports repeat the batches that finished lately.
  pool.handle(report("w1", { sentAt: 102, finished }), 103);
  pool.handle(call("hopeless", 1, { now: 103, deadlineAt: 104 }), 103);

  await pool.shows(
    `faceline_batches_total{lane="Dlib/ssd",reason="${batch.reason}"} 1`,
    'faceline_batch_size_sum{lane="Dlib/ssd"} 3',
    'faceline_batch_padding_sum{lane="Dlib/ssd"} 1',
    'faceline_queue_duration_seconds_count{lane="Dlib/ssd"} 3',
    'faceline_queue_duration_seconds_sum{lane="Dlib/ssd"} 0.06',
    'faceline_batch_lateness_seconds_count{lane="Dlib/ssd",direction="late"} 1',
    'faceline_tasks_shed_total{lane="Dlib/ssd",reason="deadline_infeasible"} 1',
    'faceline_tasks_shed_total{lane="Dlib/ssd",reason="early_drop"} 0',
    'faceline_workers{lane="Dlib/ssd"} 1',
    'faceline_queue_tasks{lane="Dlib/ssd"} 0',
    'faceline_queue_age_seconds{lane="Dlib/ssd"} 0',
    'faceline_run_model_beta_seconds{lane="Dlib/ssd"} 0.002',
    "faceline_batcher_active 1",
  );
});

test("tasks that wait are counted, and the oldest one tells the age of the queue", async () => {
  await using pool = await openPool();
  pool.handle({ kind: "partition_assigned" }, 0);
  pool.handle(call("one", 2, { now: 0 }), 100);
  pool.handle(call("two", 1, { now: 0 }), 1_600);
  await pool.shows(
    'faceline_queue_tasks{lane="Dlib/ssd"} 3',
    'faceline_queue_tasks_max{lane="Dlib/ssd"} 1000',
    'faceline_queue_age_seconds{lane="Dlib/ssd"} 1.5',
  );
});

test("a batch counts as unreceived on its worker's partition until a report names it", async () => {
  await using pool = await openPool();
  pool.handle({ kind: "partition_assigned" }, 0);
  pool.handle(report("w1", { partition: 3 }), 0);
  const moves = pool.handle(call("one", 1, { now: 0 }), 1);
  await pool.shows('faceline_batches_unreceived{partition="3"} 1');
  const { id } = moves.find((move) => move.kind === "dispatch")!.batch;
  pool.handle(report("w1", { partition: 3, sentAt: 2, running: { batch: id, startedAt: 2, endsAt: 20 } }), 3);
  await pool.shows('faceline_batches_unreceived{partition="3"} 0');
});

test("a lane that takes the place of another has its counters at 0 at once", async () => {
  await using pool = await openPool();
  pool.handle(report("w1"), 0);
  pool.state.lanes.clear();
  pool.handle(report("w1", { lanes: ["Dlib/blazeface"] }), 100);
  await pool.shows('faceline_tasks_shed_total{lane="Dlib/blazeface",reason="early_drop"} 0');
});

test("where nobody reads, there is nothing to record with", () => {
  assert.equal(SchedulerMetrics.open(metricsOff, newPool(), { now: () => 0 }), undefined);
});

async function openPool() {
  const config = readConfig(OtlpConfig, {});
  const log = openLog("test", "silent");
  const metrics = await openMetrics({ config, page: true, service: "batcher", id: "batcher-1", log });
  const state = newPool();
  let now = 0;
  const recorder = SchedulerMetrics.open(metrics, state, { now: () => now })!;
  return {
    state,
    handle(event: Event, at: number): Move[] {
      now = at;
      const moves = decide(state, event, now);
      recorder.afterDecision(moves);
      return moves;
    },
    async shows(...expected: string[]): Promise<void> {
      const page = await metrics.page();
      for (const line of expected)
        assert.ok(page.split("\n").includes(line), `${line} is missing in\n${page}`);
    },
    [Symbol.asyncDispose]: () => metrics[Symbol.asyncDispose](),
  };
}
