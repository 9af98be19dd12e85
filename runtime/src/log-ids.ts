import { isSampled, readTraceparent } from "@faceline/contracts/trace/span";
import type { Batch, BatchTask } from "@faceline/contracts/wire/batch";
import { requestIdOf, type TaskId } from "@faceline/contracts/wire/ids";

/** Ids of every line about a task or its call: the `x-request-id`, and the trace if it is exported. */
export function taskIds({ id, traceparent }: Pick<BatchTask, "id" | "traceparent">): CallIds {
  return { request_id: requestIdOf(id), ...traceIds(traceparent) };
}

/** Ids of every line about a batch. `trace_id` is the trace of the batch, not of its calls. */
export function batchIds({ id, tasks, traceparent }: Pick<Batch, "id" | "tasks" | "traceparent">): BatchIds {
  const request_ids = requestIdsOf(tasks.map((task) => task.id));
  return { batch_id: id, request_ids, ...traceIds(traceparent) };
}

/** The ids of the calls of tasks, each once. */
export const requestIdsOf = (tasks: readonly TaskId[]): string[] => [...new Set(tasks.map(requestIdOf))];

const traceIds = (traceparent: string | undefined): { trace_id?: string } =>
  traceparent !== undefined && isSampled(traceparent)
    ? { trace_id: readTraceparent(traceparent).traceId }
    : {};

export type CallIds = { request_id: string; trace_id?: string };
type BatchIds = { batch_id: string; request_ids: string[]; trace_id?: string };
