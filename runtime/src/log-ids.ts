import type { SpanContext } from "@opentelemetry/api";
import type { Batch, BatchTask } from "@faceline/contracts/wire/batch";
import { requestIdOf, type TaskId } from "@faceline/contracts/wire/ids";
import { isSampled, readTraceparent } from "./tracing/trace-context.ts";

/** Ids of every line about a task or its call: the `x-request-id`, and the trace if it is exported. */
export function taskIds({ id, traceparent }: Pick<BatchTask, "id" | "traceparent">): CallIds {
  return { request_id: requestIdOf(id), ...idsOf(traceparent) };
}

/** Ids of every line about a batch. `trace_id` is the trace of the batch, not of its calls. */
export function batchIds({ id, tasks, traceparent }: Pick<Batch, "id" | "tasks" | "traceparent">): BatchIds {
  const request_ids = requestIdsOf(tasks.map((task) => task.id));
  return { batch_id: id, request_ids, ...idsOf(traceparent) };
}

/** The ids of the calls of tasks, each once. */
export const requestIdsOf = (tasks: readonly TaskId[]): string[] => [...new Set(tasks.map(requestIdOf))];

/** Ids of the span that a line belongs to; none if it is not exported. */
export const spanIds = (context: SpanContext | undefined): SpanIds =>
  context !== undefined && isSampled(context) ? { trace_id: context.traceId, span_id: context.spanId } : {};

const idsOf = (traceparent: string | undefined): SpanIds =>
  spanIds(traceparent === undefined ? undefined : readTraceparent(traceparent));

type SpanIds = { trace_id?: string; span_id?: string };
export type CallIds = { request_id: string } & SpanIds;
type BatchIds = { batch_id: string; request_ids: string[] } & SpanIds;
