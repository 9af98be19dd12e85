import { newSpanId } from "@faceline/runtime/random";
import type { Tracing } from "@faceline/runtime/tracing/tracing";
import {
  type FinishedSpan,
  isSampled,
  readTraceparent,
  type SpanContext,
} from "@faceline/contracts/trace/span";
import type { Batch, BatchTask } from "@faceline/contracts/wire/batch";
import { taskIndexOf } from "@faceline/contracts/wire/ids";
import { answersChannel, batchesTopic, inferenceGroup } from "@faceline/contracts/wire/names";
import type { CompletedTask } from "./answer-outbox.ts";
import type { RunUsage } from "./engine/work.ts";

/**
 * The spans of a worker, made when a batch has ended: for each task that is traced, `infer` with its steps in
 * the trace of its call; and the processing of the batch's message with its steps in the batch's own trace.
 */
export class BatchSpans {
  readonly #tracing: Tracing;
  readonly #worker: string;
  readonly #pool: string;
  readonly #kafka: FinishedSpan["attributes"];

  /** `kafka`: attributes of every span that processes a message. */
  constructor(tracing: Tracing, { worker, pool, kafka = {} }: BatchSpansOptions) {
    this.#tracing = tracing;
    this.#worker = worker;
    this.#pool = pool;
    this.#kafka = kafka;
  }

  /** The batch has ended: its answers are published, or it failed. */
  end(batch: Batch, times: BatchTimes, { completed, usage, error }: BatchOutcome): void {
    if (!this.#tracing.on || batch.traceparent === undefined) return;
    const ofTask = new Map(completed.map((end) => [end.task.id, end]));
    const tasks = batch.tasks.filter((task) => isSampled(task.traceparent));
    const message = this.#messageSpan(batch, readTraceparent(batch.traceparent), times, error);
    const ofBatch = message.context;
    this.#tracing.export([
      message,
      ...stepSpans(ofBatch, times, usage, error),
      ...tasks.flatMap((task) =>
        this.#taskSpans(batch, task, times, { ofBatch, end: ofTask.get(task.id), usage, error }),
      ),
    ]);
  }

  #messageSpan(batch: Batch, parent: SpanContext, times: BatchTimes, error: string | undefined) {
    const topic = batchesTopic(this.#pool);
    return childOf(parent, {
      name: `process ${topic}`,
      kind: "consumer",
      startAt: times.receivedAt,
      endAt: times.answeredAt,
      error,
      attributes: {
        ...this.#kafka,
        "messaging.operation.name": "process",
        "messaging.operation.type": "process",
        "messaging.destination.name": topic,
        "messaging.consumer.group.name": inferenceGroup(this.#pool),
        "faceline.batch.id": batch.id,
        ...(error === undefined ? {} : { "error.type": "run_failed" }),
      },
    });
  }

  #taskSpans(batch: Batch, task: BatchTask, times: BatchTimes, outcome: TaskOutcome): FinishedSpan[] {
    const { ofBatch, end, usage, error } = outcome;
    const parent = readTraceparent(task.traceparent, task.tracestate);
    const kind = end?.outcome.kind;
    const reason = end?.outcome.kind === "failed" ? end.outcome.reason : undefined;
    const root: FinishedSpan = {
      name: "infer",
      kind: "internal",
      context: { ...parent, spanId: newSpanId() },
      parentId: parent.spanId,
      startAt: times.receivedAt,
      endAt: times.answeredAt,
      links: [ofBatch],
      error:
        error ?? (kind === "failed" || kind === "expired" ? `${kind}: ${reason ?? "too late"}` : undefined),
      attributes: {
        "faceline.batch.id": batch.id,
        "faceline.lane": batch.lane,
        "faceline.worker": this.#worker,
        "faceline.attempt": batch.attempt,
        "faceline.task.index": taskIndexOf(task.id),
        ...(kind === undefined ? {} : { "faceline.outcome": kind }),
        ...(reason === undefined ? {} : { "faceline.reason": reason, "error.type": reason }),
        ...(error === undefined ? {} : { "error.type": "run_failed" }),
      },
    };
    const answer = childOf(root.context, {
      name: `publish ${answersTemplate}`,
      kind: "producer",
      startAt: times.ranAt ?? times.answeredAt,
      endAt: times.answeredAt,
      attributes: {
        "messaging.system": "redis",
        "messaging.operation.name": "publish",
        "messaging.operation.type": "send",
        "messaging.destination.name": answersChannel(task.ingress),
        "messaging.destination.template": answersTemplate,
      },
    });
    const steps = stepSpans(root.context, times, usage, error);
    return [root, ...steps, ...(end === undefined ? [] : [answer])];
  }
}

/**
 * Fetching and decoding, the run, and the stages of the run, which follow each other in it. Lane and batch
 * are on the parent span: there are many of these spans, so an attribute costs most here.
 */
function stepSpans(
  parent: SpanContext,
  { preparedFrom, preparedUntil, runFrom, ranAt }: BatchTimes,
  usage: RunUsage | undefined,
  error: string | undefined,
): FinishedSpan[] {
  const spans: FinishedSpan[] = [];
  if (preparedFrom !== undefined && preparedUntil !== undefined) {
    const times = { startAt: preparedFrom, endAt: preparedUntil };
    spans.push(childOf(parent, { name: "prepare", ...times, attributes: {} }));
  }
  if (runFrom === undefined || ranAt === undefined) return spans;
  const attributes: FinishedSpan["attributes"] = usage === undefined ? {} : { "faceline.faces": usage.faces };
  const run = childOf(parent, { name: "run", startAt: runFrom, endAt: ranAt, attributes, error });
  spans.push(run);
  if (usage === undefined) return spans;
  let startAt = runFrom;
  for (const [name, ms] of [
    ["detect", usage.detectMs],
    ["align", usage.alignMs],
    ["embed", usage.embedMs],
  ] as const) {
    // A modelled engine has no stages.
    if (ms === 0) continue;
    spans.push(childOf(run.context, { name, startAt, endAt: startAt + ms, attributes: {} }));
    startAt += ms;
  }
  return spans;
}

const childOf = (
  parent: SpanContext,
  fields: Pick<FinishedSpan, "name" | "startAt" | "endAt" | "attributes"> & Partial<FinishedSpan>,
): FinishedSpan => ({
  kind: "internal",
  context: { ...parent, spanId: newSpanId() },
  parentId: parent.spanId,
  ...fields,
});

const answersTemplate = answersChannel("{ingress}");

type BatchSpansOptions = { worker: string; pool: string; kafka?: FinishedSpan["attributes"] };

/** Instants of a batch; undefined where it did not come so far. */
export type BatchTimes = {
  receivedAt: number;
  preparedFrom?: number;
  preparedUntil?: number;
  runFrom?: number;
  ranAt?: number;
  answeredAt: number;
};

/** `error`: why the whole batch has failed. */
type BatchOutcome = { completed: CompletedTask[]; usage: RunUsage | undefined; error: string | undefined };

type TaskOutcome = Pick<BatchOutcome, "usage" | "error"> & {
  /** The span that processes the batch. */
  ofBatch: SpanContext;
  end: CompletedTask | undefined;
};
