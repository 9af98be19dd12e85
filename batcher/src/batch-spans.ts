import { type Span, type SpanContext, SpanKind } from "@opentelemetry/api";
import type { Batch, BatchId, BatchTask } from "@faceline/contracts/wire/batch";
import { taskIndexOf } from "@faceline/contracts/wire/ids";
import { batcherGroup, batchesTopic, tasksTopic } from "@faceline/contracts/wire/names";
import { isTraced, readTraceparent, traceparentOf } from "@faceline/runtime/tracing/trace-context";
import { endSpan, type SpanAttributes, type Tracing } from "@faceline/runtime/tracing/tracing";
import type { AnswerMove, BatchEnd, Dispatch } from "./scheduling/state/state.ts";

/**
 * The spans of a batcher. Each batch is a trace of its own, because its tasks belong to many requests: it
 * links to the spans that sent them, and its message to the worker is a span below it. A task has one span
 * from its arrival until it is sent with a batch: it is in the trace of its request and links to the batch.
 * Batches are traced if one of their tasks is; for all others, only the mark of each task is read.
 */
export class BatchSpans {
  readonly #start: Tracing["start"];
  readonly #pool: string;
  readonly #kafka: SpanAttributes;
  /** Batches that are traced and have not ended: at most two for each worker, and lost ones. */
  readonly #open = new Map<BatchId, OpenBatch>();

  /** `kafka`: attributes of every span that sends or processes a message. */
  constructor({ start }: Pick<Tracing, "start">, pool: string, kafka: SpanAttributes = {}) {
    this.#start = start;
    this.#pool = pool;
    this.#kafka = kafka;
  }

  /** Returns the batch as it is to be sent: with a `traceparent` if it is traced. */
  send({ batch, worker, partition, predictedEndAt, paddedSize }: Dispatch): Batch {
    const tasks = batch.tasks.filter(isTraced);
    if (tasks.length === 0) return batch;
    const startAt = batch.sentAt;
    const ofTasks: SpanAttributes = {
      "faceline.batch.id": batch.id,
      "faceline.batch.reason": batch.reason,
      "faceline.batch.size": batch.tasks.length,
      "faceline.batch.bucket": paddedSize,
      "faceline.lane": batch.lane,
      "faceline.worker": worker,
      "faceline.attempt": batch.attempt,
    };
    const root = this.#start("batch", {
      startAt,
      // Calls that are not sampled have no spans to link to.
      links: tasks.map(contextOf),
      attributes: {
        ...ofTasks,
        "faceline.batch.padding": Math.max(0, paddedSize - batch.tasks.length),
        "faceline.batch.predicted_run_ms": batch.predictedRunMs,
        "faceline.batch.predicted_end_ms": predictedEndAt - startAt,
      },
    });
    // Nothing is traced here, even if the clients asked for it.
    if (!root.isRecording()) return batch;
    const topic = batchesTopic(this.#pool);
    const message = this.#start(`send ${topic}`, {
      kind: SpanKind.PRODUCER,
      startAt,
      parent: root.spanContext(),
      attributes: {
        ...this.#kafka,
        "messaging.operation.name": "send",
        "messaging.operation.type": "send",
        "messaging.destination.name": topic,
        "messaging.destination.partition.id": `${partition}`,
      },
    });
    for (const task of tasks) {
      endSpan(this.#startTask(task, startAt, ofTasks, root.spanContext()), startAt);
    }
    this.#open.set(batch.id, { batch, worker, tasks, root, message });
    return { ...batch, traceparent: traceparentOf(message.spanContext()) };
  }

  /** Kafka has the message of a batch. */
  acknowledge(batchId: BatchId, now: number): void {
    const message = this.#open.get(batchId)?.message;
    if (message !== undefined) endSpan(message, now);
  }

  /** A batch was answered, has failed or was lost. */
  end(batchId: BatchId, end: BatchEnd, now: number): void {
    const open = this.#open.get(batchId);
    if (open === undefined) return;
    this.#open.delete(batchId);
    const { batch, root, message } = open;
    const { kind, finished } = end;
    const error = kind === "answered" ? undefined : `the batch was ${kind}`;
    const failure: SpanAttributes = error === undefined ? {} : { "error.type": kind };
    if (message.isRecording()) {
      const isFailed = kind === "undelivered";
      if (isFailed) message.setAttributes(failure);
      endSpan(message, now, isFailed ? error : undefined);
    }
    root.setAttributes({
      ...failure,
      "faceline.batch.end": kind,
      "faceline.batch.run_ms": finished?.runMs,
      "faceline.batch.end_ms": finished && finished.endedAt - batch.sentAt,
    } satisfies SpanAttributes);
    endSpan(root, now, error);
    // A lost worker has exported nothing about its tasks.
    if (error !== undefined) this.#exportLost(open, kind, now);
  }

  /** The time that tasks lost with a batch, in the traces of their requests. */
  #exportLost({ batch, worker, tasks, root }: OpenBatch, kind: BatchEnd["kind"], now: number): void {
    for (const task of tasks) {
      const lost = this.#start("lost attempt", {
        startAt: batch.sentAt,
        parent: contextOf(task),
        links: [root.spanContext()],
        attributes: {
          "faceline.batch.id": batch.id,
          "faceline.batch.end": kind,
          "faceline.worker": worker,
          "faceline.lane": batch.lane,
          "faceline.attempt": batch.attempt,
          "faceline.task.index": taskIndexOf(task.id),
          "error.type": kind,
        },
      });
      endSpan(lost, now, `the batch was ${kind}`);
    }
  }

  /** The span of a batch that has not ended; undefined if it is not traced. */
  spanOf(batchId: BatchId): SpanContext | undefined {
    return this.#open.get(batchId)?.root.spanContext();
  }

  /** Ends the spans of all batches: another batcher has the tasks now. */
  endAll(now: number): void {
    for (const batchId of this.#open.keys()) this.end(batchId, { kind: "handed_over" }, now);
  }

  /** The batcher itself has answered tasks. */
  answer(moves: AnswerMove[], now: number): void {
    for (const { task, waited, lane, outcome } of moves) {
      if (!isTraced(task)) continue;
      const reason = outcome.kind === "expired" ? undefined : outcome.reason;
      const span = this.#startTask({ ...task, waited }, now, {
        "faceline.lane": lane,
        "faceline.outcome": outcome.kind,
        "faceline.reason": reason,
        "faceline.predicted_ms": outcome.kind === "shed" ? outcome.predictedMs : undefined,
        "error.type": outcome.kind,
      });
      endSpan(span, now, `${outcome.kind}: ${reason ?? "too late"}`);
    }
  }

  #startTask(task: BatchTask, endAt: number, attributes: SpanAttributes, batch?: SpanContext): Span {
    const { queuedAt = endAt, holdMs = 0, attempts = 0 } = task.waited ?? {};
    const topic = tasksTopic(this.#pool);
    return this.#start(`process ${topic}`, {
      kind: SpanKind.CONSUMER,
      startAt: queuedAt,
      parent: contextOf(task),
      links: batch === undefined ? [] : [batch],
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
    });
  }
}

const contextOf = ({ traceparent, tracestate }: BatchTask): SpanContext =>
  readTraceparent(traceparent, tracestate);

type OpenBatch = {
  batch: Batch;
  worker: string;
  /** Those that are traced. */
  tasks: BatchTask[];
  root: Span;
  /** Sends it. */
  message: Span;
};
