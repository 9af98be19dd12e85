import { newSpanId } from "@faceline/runtime/random";
import type { FinishedSpan } from "@faceline/contracts/trace/span";
import { tasksTopic } from "@faceline/contracts/wire/names";
import { sentenceFor } from "./call-log.ts";
import type { EndedCall } from "./ports.ts";
import type { CallParts, Interval } from "./record.ts";

/**
 * Returns the spans of a call that has ended, or none: a call is traced if its head was sampled, and also if
 * it was shed, late, retried or failed. What a batcher and a worker did for a call that was not sampled is
 * known here from its answer alone, as the duration of each part; those spans are made of that.
 */
export function callSpans(ended: EndedCall, servers: SpanServers): FinishedSpan[] {
  const { record, endedAt } = ended;
  const kept = record.trace.context.sampled ? undefined : keptAs(ended);
  if (!record.trace.context.sampled && kept === undefined) return [];
  const root = rootSpan(ended, kept, servers.http);
  const child = (name: string, interval: Interval | undefined, fields: Partial<FinishedSpan> = {}) => {
    if (interval === undefined) return [];
    const { from, until = endedAt } = interval;
    return [spanBelow(root, { name, startAt: from, endAt: until, ...fields })];
  };
  // A request to another system that has not ended when the call fails is what it failed on.
  const request = (name: string, interval: Interval | undefined, fields: Partial<FinishedSpan>) => {
    const failure = interval?.until === undefined ? record.error : undefined;
    if (failure === undefined) return child(name, interval, fields);
    const attributes = { ...fields.attributes, "error.type": failure.code };
    return child(name, interval, { ...fields, attributes, error: sentenceFor(ended) });
  };
  const { images, pool = "" } = record;
  const set = images > 1 ? "PIPELINE SET" : "SET";
  return [
    root,
    ...child("validate", record.interval("admission")),
    ...request(set, record.interval("images"), {
      kind: "client",
      attributes: {
        ...servers.redis(pool),
        "db.operation.name": set,
        ...(images > 1 ? { "db.operation.batch.size": images } : {}),
      },
    }),
    ...request(`send ${tasksTopic(pool)}`, record.interval("send"), {
      kind: "producer",
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
    }),
    ...(kept === undefined ? [] : partSpans(ended, root)),
    ...child("gather", record.interval("gather")),
  ];
}

/** Why a call is traced although its head was not sampled; undefined if it is not. */
function keptAs({ record, status }: EndedCall): "shed" | "late" | "failed" | "retried" | undefined {
  if (status === undefined) return undefined;
  if (record.outcome?.kind === "shed" || record.error?.code === "queue_timeout") return "shed";
  if (status === 504) return "late";
  if (status === 500 || status === 502) return "failed";
  return record.attempts > 1 ? "retried" : undefined;
}

function rootSpan(ended: EndedCall, kept: string | undefined, server: Attributes): FinishedSpan {
  const { record, parts, status, endedAt } = ended;
  const failed = status === undefined || status >= 500;
  return {
    name: `POST ${record.route}`,
    kind: "server",
    context: record.trace.context,
    parentId: record.trace.parentId,
    startAt: record.arrivedAt,
    endAt: endedAt,
    error: failed ? sentenceFor(ended) : undefined,
    attributes: {
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
      ...(record.error === undefined ? {} : { "error.type": record.error.code }),
      ...(kept === undefined ? {} : { "faceline.kept": kept }),
    },
  };
}

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

/** The parts of the last answer, one behind the other and back from its publication. */
function partSpans({ record }: EndedCall, root: FinishedSpan): FinishedSpan[] {
  const { timing } = record;
  if (timing?.publishedAt === undefined) return [];
  const { queueMs, holdMs, prepareMs, runMs, answerMs } = timing;
  const parts = [
    ["answer", answerMs],
    ["run", runMs],
    ["prepare", prepareMs],
    ["queue", queueMs + holdMs],
  ] as const;
  const spans: FinishedSpan[] = [];
  let endAt = timing.publishedAt;
  for (const [name, ms] of parts) {
    if (ms <= 0) continue;
    spans.push(spanBelow(root, { name, startAt: endAt - ms, endAt }));
    endAt -= ms;
  }
  return spans;
}

const spanBelow = (
  { context: { traceId, tracestate }, context: { spanId: parentId } }: FinishedSpan,
  fields: Pick<FinishedSpan, "name" | "startAt" | "endAt"> & Partial<FinishedSpan>,
): FinishedSpan => ({
  kind: "internal",
  context: { traceId, spanId: newSpanId(), sampled: true, tracestate },
  parentId,
  attributes: {},
  ...fields,
});

type Attributes = FinishedSpan["attributes"];

/** What the conventions of OpenTelemetry ask to know of each server, the same for all spans. */
export type SpanServers = {
  /** The address by which clients know this service, if it is set. */
  http: Attributes;
  kafka: Attributes;
  /** The Redis that holds the images of a pool. */
  redis(pool: string): Attributes;
};
