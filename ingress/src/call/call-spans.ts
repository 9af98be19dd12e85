import { SpanKind } from "@opentelemetry/api";
import { tasksTopic } from "@faceline/contracts/wire/names";
import {
  endSpan,
  type SpanAttributes,
  type StartOptions,
  type Tracing,
} from "@faceline/runtime/tracing/tracing";
import { sentenceFor } from "./call-log.ts";
import type { EndedCall } from "./ports.ts";
import type { CallParts, Interval } from "./record.ts";

/**
 * Exports the spans of a call that has ended: if its trace is sampled, and also if it was shed, late, retried
 * or failed. Batcher and worker have exported no spans of the latter, so its first span has the durations of
 * what they did as attributes.
 */
export function exportCall(tracing: Pick<Tracing, "start">, ended: EndedCall, servers: SpanServers): void {
  const { record, endedAt } = ended;
  const { span, context, parent } = record.trace;
  const kept = span.isRecording() ? undefined : keptAs(ended);
  if (!span.isRecording() && kept === undefined) return;
  const again = { kind: SpanKind.SERVER, startAt: record.arrivedAt, context, parent };
  const root = kept === undefined ? span : tracing.start(`POST ${record.route}`, again);
  root.setAttributes(rootAttributes(ended, kept, servers.http));
  const step = (name: string, interval: Interval | undefined, fields: Partial<StartOptions> = {}) => {
    if (interval === undefined) return;
    const { from, until } = interval;
    const started = tracing.start(name, { startAt: from, parent: root.spanContext(), ...fields });
    // A request to another system that has not ended when the call fails is what it failed on.
    const failure = fields.kind === undefined || until !== undefined ? undefined : record.error;
    if (failure !== undefined) started.setAttribute("error.type", failure.code);
    endSpan(started, until ?? endedAt, failure === undefined ? undefined : sentenceFor(ended));
  };
  const { images, pool = "" } = record;
  const set = images > 1 ? "PIPELINE SET" : "SET";
  step("validate", record.interval("admission"));
  step(set, record.interval("images"), {
    kind: SpanKind.CLIENT,
    attributes: {
      ...servers.redis(pool),
      "db.operation.name": set,
      "db.operation.batch.size": images > 1 ? images : undefined,
    },
  });
  step(`send ${tasksTopic(pool)}`, record.interval("send"), {
    kind: SpanKind.PRODUCER,
    context: record.sendContext,
    attributes: {
      ...servers.kafka,
      "messaging.operation.name": "send",
      "messaging.operation.type": "send",
      "messaging.destination.name": tasksTopic(pool),
      "messaging.destination.partition.id": "0",
      "messaging.message.conversation_id": record.requestId,
      "faceline.lane": record.lane,
    },
  });
  step("gather", record.interval("gather"));
  const isFailed = ended.status === undefined || ended.status >= 500;
  endSpan(root, endedAt, isFailed ? sentenceFor(ended) : undefined);
}

/** Why a call is traced although its trace is not sampled; undefined if it is not. */
function keptAs({ record, status }: EndedCall): "shed" | "late" | "failed" | "retried" | undefined {
  if (status === undefined) return undefined;
  if (record.outcome?.kind === "shed" || record.error?.code === "queue_timeout") return "shed";
  if (status === 504) return "late";
  if (status === 500 || status === 502) return "failed";
  return record.attempts > 1 ? "retried" : undefined;
}

const rootAttributes = (
  { record, parts, status }: EndedCall,
  kept: string | undefined,
  server: SpanAttributes,
): SpanAttributes => ({
  "http.request.method": "POST",
  "http.route": record.route,
  "url.path": record.route,
  "url.scheme": record.http.scheme,
  "network.protocol.version": record.http.version,
  ...server,
  "http.response.status_code": status,
  "faceline.request.id": record.requestId,
  "faceline.lane": record.lane,
  "faceline.pool": record.pool,
  "faceline.deadline_ms": record.deadlineMs,
  "faceline.attempts": record.attempts,
  "faceline.outcome": record.outcome?.kind,
  ...timeAttributes(parts),
  "error.type": record.error?.code,
  "faceline.kept": kept,
});

/** Written out, because names that are put together for each call are slow to make and to read. */
const timeAttributes = (parts: CallParts) =>
  ({
    "faceline.time.admission_ms": parts.admission,
    "faceline.time.publish_ms": parts.publish,
    "faceline.time.hold_ms": parts.hold,
    "faceline.time.queue_ms": parts.queue,
    "faceline.time.retry_ms": parts.retry,
    "faceline.time.hop_ms": parts.hop,
    "faceline.time.prepare_ms": parts.prepare,
    "faceline.time.run_ms": parts.run,
    "faceline.time.answer_ms": parts.answer,
    "faceline.time.gather_ms": parts.gather,
    "faceline.time.unaccounted_ms": parts.unaccounted,
    "faceline.time.total_ms": parts.total,
  }) satisfies Record<`faceline.time.${keyof CallParts}_ms`, number>;

/** What the conventions of OpenTelemetry ask to know of each server, the same for all spans. */
export type SpanServers = {
  /** The address by which clients know this service, if it is set. */
  http: SpanAttributes;
  kafka: SpanAttributes;
  /** The Redis that holds the images of a pool. */
  redis(pool: string): SpanAttributes;
};
