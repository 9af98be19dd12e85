import { newSpanId, newTraceId } from "@faceline/contracts/runtime/random";
import { serveSpanRounds, type TracedCall, tasksOfCall } from "@faceline/contracts/testing/span-rounds";
import type { Batch, BatchTask } from "@faceline/contracts/wire/batch";
import { BatchSpans } from "./src/batch-spans.ts";
import { noFacts } from "./src/engine/pipeline.ts";
import type { RunFacts } from "./src/engine/work.ts";

// The spans of a worker with real models. `npm run bench -- --only telemetry-spans` starts this.

const facts = { ...noFacts, detectMs: 61.3, alignMs: 8.21, embedMs: 33.7, faces: 32 } as unknown as RunFacts;
const names = { worker: "inference-0000000000000000", pool: "default" };
let batches = 0;

await serveSpanRounds("inference", (tracing) => {
  const spans = new BatchSpans(tracing, names);
  return (calls) => {
    const receivedAt = Date.now();
    const batch = batchOf(calls, receivedAt);
    const times = {
      receivedAt,
      preparedFrom: receivedAt + 0.2,
      preparedUntil: receivedAt + 6.33,
      runFrom: receivedAt + 7.1,
      ranAt: receivedAt + 111.12,
      answeredAt: receivedAt + 112.4,
    };
    const ends = batch.tasks.map((task) => ({ task, outcome: { kind: "faces" as const, faces: [] } }));
    spans.end(batch, times, { ends: ends as never, facts, error: undefined });
  };
});

function batchOf(calls: TracedCall[], sentAt: number): Batch {
  const tasks = calls.flatMap(({ requestId, traceparent }) =>
    Array.from({ length: tasksOfCall }, (_, index) => ({
      id: `${requestId}/nnnnnnnnnnnnnnnn/${index}`,
      ingress: "ingress-0000000000000000",
      traceparent,
    })),
  ) as unknown as BatchTask[];
  const isTraced = calls.some(({ context }) => context.sampled);
  return {
    id: `batcher-0000000000000000/${++batches}`,
    lane: "Dlib/ssd",
    reason: "full",
    attempt: 1,
    sentAt,
    predictedRunMs: 103,
    ...(isTraced ? { traceparent: `00-${newTraceId()}-${newSpanId()}-01` } : {}),
    tasks,
  } as unknown as Batch;
}
