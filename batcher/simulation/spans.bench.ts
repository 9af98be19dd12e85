import type { Tracing } from "@faceline/contracts/runtime/tracing/tracing";
import {
  callsOfBatch,
  serveSpanRounds,
  type TracedCall,
  tasksOfCall,
} from "@faceline/contracts/testing/span-rounds";
import type { BatchTask } from "@faceline/contracts/wire/batch";
import { noWait } from "@faceline/contracts/wire/timing";
import { BatchSpans } from "../src/batch-spans.ts";
import { decide } from "../src/scheduling/decide.ts";
import type { Dispatch } from "../src/scheduling/state.ts";
import { answered, call, newPool, report } from "../testing/fixtures.ts";

// The spans of a batcher. `npm run bench -- --only telemetry-spans` starts this.

const pool = newPool();
decide(pool, report("w1"), 0);
const dispatch = decide(pool, call("a", callsOfBatch * tasksOfCall, { now: 0 }), 1).find(
  (move): move is Dispatch => move.kind === "dispatch",
)!;

let batches = 0;

await serveSpanRounds("batcher", (tracing: Tracing) => {
  const spans = new BatchSpans(tracing, "default");
  return (calls) => {
    const sentAt = Date.now();
    const id = `batcher-0000000000000000/${++batches}` as typeof dispatch.batch.id;
    const batch = { ...dispatch.batch, id, sentAt, tasks: calls.flatMap((each) => tasksOf(each, sentAt)) };
    const sent = spans.send({ ...dispatch, batch, predictedEndAt: sentAt + 104.2 });
    const endedAt = sentAt + 105.1;
    spans.end(id, { kind: "answered", finished: { ...answered(sent), endedAt } }, endedAt + 3.3);
  };
});

function tasksOf({ requestId, traceparent }: TracedCall, sentAt: number): BatchTask[] {
  const [task] = dispatch.batch.tasks;
  const waited = {
    ...noWait,
    hopMs: 2.3,
    queueMs: 40.7,
    holdMs: 1.03,
    queuedAt: sentAt - 41.73,
    attempts: 1,
  };
  return Array.from({ length: tasksOfCall }, (_, index) => ({
    ...task!,
    id: `${requestId}/nnnnnnnnnnnnnnnn/${index}` as BatchTask["id"],
    traceparent,
    waited,
  }));
}
