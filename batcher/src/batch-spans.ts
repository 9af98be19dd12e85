import {
  type FinishedSpan,
  isSampled,
  readTraceparent,
  type SpanContext,
  traceparentOf,
} from "@faceline/contracts/trace/span";
import type { Batch, BatchId, BatchTask } from "@faceline/contracts/wire/batch";
import { taskIndexOf } from "@faceline/contracts/wire/ids";
import { batcherGroup, batchesTopic, tasksTopic } from "@faceline/contracts/wire/names";
import { newSpanId, newTraceId } from "@faceline/runtime/random";
import type { Tracing } from "@faceline/runtime/tracing/tracing";
import type { AnswerMove, BatchEnd, Dispatch } from "./scheduling/state/state.ts";

/**
 * The spans of a batcher. Each batch is a trace of its own, because its tasks belong to many calls: it links
 * to the spans that sent them, and its message to the worker is a span below it. A task is processed until it
 * is sent with a batch: a span in the trace of its call, which links to the batch. Batches are traced if one
 * of their tasks is; all others cost a look at the mark of each task.
 */
export class BatchSpans {
  readonly #tracing: Tracing;
  readonly #pool: string;
  readonly #kafka: FinishedSpan["attributes"];
  /** Batches that are traced and have not ended: at most two for each worker, and lost ones. */
  readonly #open = new Map<BatchId, OpenBatch>();

  /** `kafka`: attributes of every span that sends or processes a message. */
  constructor(tracing: Tracing, pool: string, kafka: FinishedSpan["attributes"] = {}) {
    this.#tracing = tracing;
    this.#pool = pool;
    this.#kafka = kafka;
  }

  /** Returns the batch as it is to be sent: with a `traceparent` if it is traced. */
  send({ batch, worker, partition, predictedEndAt, paddedSize }: Dispatch): Batch {
    const sampled = batch.tasks.filter((task) => this.#tracing.on && isSampled(task.traceparent));
    if (sampled.length === 0) return batch;
    const context = { traceId: newTraceId(), spanId: newSpanId(), sampled: true };
    const attributes: FinishedSpan["attributes"] = {
      "faceline.batch.id": batch.id,
      "faceline.batch.reason": batch.reason,
      "faceline.batch.size": batch.tasks.length,
      "faceline.batch.bucket": paddedSize,
      "faceline.batch.padding": Math.max(0, paddedSize - batch.tasks.length),
      "faceline.lane": batch.lane,
      "faceline.worker": worker,
      "faceline.attempt": batch.attempt,
    };
    const message = { ...context, spanId: newSpanId() };
    this.#open.set(batch.id, { batch, sampled, context, message, attributes, partition, predictedEndAt });
    const { "faceline.batch.padding": _padding, ...ofTasks } = attributes;
    this.#tracing.export(sampled.map((task) => this.#taskSpan(task, batch.sentAt, context, ofTasks)));
    return { ...batch, traceparent: traceparentOf(message) };
  }

  /** Kafka has the message of a batch. */
  acknowledge(batchId: BatchId, now: number): void {
    const open = this.#open.get(batchId);
    if (open !== undefined) open.acknowledgedAt = now;
  }

  /** A batch was answered, has failed or was lost. */
  end(batchId: BatchId, end: BatchEnd, now: number): void {
    const open = this.#open.get(batchId);
    if (open === undefined) return;
    this.#open.delete(batchId);
    const { batch, sampled, context, attributes, predictedEndAt } = open;
    const { finished } = end;
    const error = end.kind === "answered" ? undefined : `the batch was ${end.kind}`;
    const root: FinishedSpan = {
      name: "batch",
      kind: "internal",
      context,
      parentId: undefined,
      startAt: batch.sentAt,
      endAt: now,
      // Calls that are not sampled have no spans to link to.
      links: sampled.map((task) => readTraceparent(task.traceparent, task.tracestate)),
      error,
      attributes: {
        ...attributes,
        "faceline.batch.end": end.kind,
        "faceline.batch.predicted_run_ms": batch.predictedRunMs,
        "faceline.batch.predicted_end_ms": predictedEndAt - batch.sentAt,
        ...(error === undefined ? {} : { "error.type": end.kind }),
        ...(finished === undefined
          ? {}
          : {
              "faceline.batch.run_ms": finished.runMs,
              "faceline.batch.end_ms": finished.endedAt - batch.sentAt,
            }),
      },
    };
    // A worker that was lost has exported nothing of its tasks.
    const lost = end.kind === "answered" ? [] : sampled.map((task) => lostSpan(task, root, end));
    this.#tracing.export([root, this.#messageSpan(open, end, now), ...lost]);
  }

  /** Sending a batch to its worker, until Kafka has it. */
  #messageSpan(
    { batch, context, message, partition, acknowledgedAt }: OpenBatch,
    end: BatchEnd,
    now: number,
  ) {
    const topic = batchesTopic(this.#pool);
    const isFailed = end.kind === "undelivered";
    return {
      name: `send ${topic}`,
      kind: "producer",
      context: message,
      parentId: context.spanId,
      startAt: batch.sentAt,
      endAt: acknowledgedAt ?? now,
      error: isFailed ? "the batch was undelivered" : undefined,
      attributes: {
        ...this.#kafka,
        "messaging.operation.name": "send",
        "messaging.operation.type": "send",
        "messaging.destination.name": topic,
        "messaging.destination.partition.id": `${partition}`,
        ...(isFailed ? { "error.type": end.kind } : {}),
      },
    } satisfies FinishedSpan;
  }

  /** The span of a batch that has not ended; undefined if it is not traced. */
  spanOf(batchId: BatchId): SpanContext | undefined {
    return this.#open.get(batchId)?.context;
  }

  /** Another batcher has the tasks now. */
  endAll(now: number): void {
    for (const batchId of this.#open.keys()) this.end(batchId, { kind: "handed_over" }, now);
  }

  /** The batcher itself has answered tasks. */
  answer(moves: AnswerMove[], now: number): void {
    const sampled = moves.filter(({ task }) => this.#tracing.on && isSampled(task.traceparent));
    this.#tracing.export(
      sampled.map(({ task, waited, lane, outcome }) =>
        this.#taskSpan({ ...task, waited }, now, undefined, {
          "faceline.lane": lane,
          "faceline.outcome": outcome.kind,
          "faceline.reason": outcome.kind === "expired" ? undefined : outcome.reason,
          "faceline.predicted_ms": outcome.kind === "shed" ? outcome.predictedMs : undefined,
          "error.type": outcome.kind,
        }),
      ),
    );
  }

  #taskSpan(
    task: BatchTask,
    endAt: number,
    batch: SpanContext | undefined,
    attributes: FinishedSpan["attributes"],
  ): FinishedSpan {
    const { queuedAt = endAt, holdMs = 0, attempts = 0 } = task.waited ?? {};
    const outcome = attributes["faceline.outcome"];
    const topic = tasksTopic(this.#pool);
    return {
      name: `process ${topic}`,
      kind: "consumer",
      ...below(task),
      startAt: queuedAt,
      endAt,
      links: batch === undefined ? [] : [batch],
      error: outcome === undefined ? undefined : `${outcome}: ${attributes["faceline.reason"] ?? "too late"}`,
      attributes: {
        ...attributes,
        ...this.#kafka,
        "messaging.operation.name": "process",
        "messaging.operation.type": "process",
        "messaging.destination.name": topic,
        "messaging.consumer.group.name": batcherGroup(this.#pool),
        "faceline.task.index": taskIndexOf(task.id),
        "faceline.attempt": Math.max(1, attempts),
        "faceline.queue.hold_ms": holdMs,
      },
    };
  }
}

/** The time that a task lost with a batch, in the trace of its call. */
const lostSpan = (task: BatchTask, batch: FinishedSpan, { kind }: BatchEnd): FinishedSpan => ({
  name: "lost attempt",
  kind: "internal",
  ...below(task),
  startAt: batch.startAt,
  endAt: batch.endAt,
  links: [batch.context],
  error: `the batch was ${kind}`,
  attributes: {
    "faceline.batch.id": batch.attributes["faceline.batch.id"],
    "faceline.batch.end": kind,
    "faceline.worker": batch.attributes["faceline.worker"],
    "faceline.lane": batch.attributes["faceline.lane"],
    "faceline.attempt": batch.attributes["faceline.attempt"],
    "faceline.task.index": taskIndexOf(task.id),
    "error.type": kind,
  },
});

function below({ traceparent, tracestate }: BatchTask): Pick<FinishedSpan, "context" | "parentId"> {
  const parent = readTraceparent(traceparent, tracestate);
  return { context: { ...parent, spanId: newSpanId() }, parentId: parent.spanId };
}

type OpenBatch = {
  batch: Batch;
  sampled: BatchTask[];
  context: SpanContext;
  /** The span that sends it. */
  message: SpanContext;
  acknowledgedAt?: number;
  attributes: FinishedSpan["attributes"];
  partition: number;
  predictedEndAt: number;
};
