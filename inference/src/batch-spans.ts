import { type SpanContext, SpanKind } from "@opentelemetry/api";
import type { Batch, BatchTask } from "@faceline/contracts/wire/batch";
import { taskIndexOf } from "@faceline/contracts/wire/ids";
import { answersChannel, batchesTopic, inferenceGroup } from "@faceline/contracts/wire/names";
import { isTraced, readTraceparent } from "@faceline/runtime/tracing/trace-context";
import { endSpan, type SpanAttributes, type Tracing } from "@faceline/runtime/tracing/tracing";
import type { CompletedTask } from "./answer-outbox.ts";
import type { RunUsage } from "./engine/work.ts";

/**
 * The spans of a worker, made when a batch has ended: for each traced task, `infer` with its steps in the
 * trace of its request; and the processing of the batch's message, with its steps, in the trace of the batch.
 */
export class BatchSpans {
  readonly #start: Tracing["start"];
  readonly #worker: string;
  readonly #pool: string;
  readonly #kafka: SpanAttributes;

  /** `kafka`: attributes of every span that processes a message. */
  constructor({ start }: Pick<Tracing, "start">, { worker, pool, kafka = {} }: BatchSpansOptions) {
    this.#start = start;
    this.#worker = worker;
    this.#pool = pool;
    this.#kafka = kafka;
  }

  /** The batch has ended: its answers are published, or it failed. */
  end(batch: Batch, times: BatchTimes, outcome: BatchOutcome): void {
    if (batch.traceparent === undefined) return;
    const { completed, error } = outcome;
    const topic = batchesTopic(this.#pool);
    const message = this.#start(`process ${topic}`, {
      kind: SpanKind.CONSUMER,
      startAt: times.receivedAt,
      parent: readTraceparent(batch.traceparent),
      attributes: {
        ...this.#kafka,
        "messaging.operation.name": "process",
        "messaging.operation.type": "process",
        "messaging.destination.name": topic,
        "messaging.consumer.group.name": inferenceGroup(this.#pool),
        "faceline.batch.id": batch.id,
        "error.type": error === undefined ? undefined : "run_failed",
      },
    });
    this.#exportSteps(message.spanContext(), times, outcome);
    const ends = new Map(completed.map((end) => [end.task.id, end]));
    for (const task of batch.tasks.filter(isTraced)) {
      this.#exportTask(batch, task, {
        times,
        outcome,
        end: ends.get(task.id),
        ofBatch: message.spanContext(),
      });
    }
    endSpan(message, times.answeredAt, error);
  }

  #exportTask(batch: Batch, task: BatchTask, { times, outcome, end, ofBatch }: TaskEnd): void {
    const kind = end?.outcome.kind;
    const reason = end?.outcome.kind === "failed" ? end.outcome.reason : undefined;
    const infer = this.#start("infer", {
      startAt: times.receivedAt,
      parent: readTraceparent(task.traceparent, task.tracestate),
      links: [ofBatch],
      attributes: {
        "faceline.batch.id": batch.id,
        "faceline.lane": batch.lane,
        "faceline.worker": this.#worker,
        "faceline.attempt": batch.attempt,
        "faceline.task.index": taskIndexOf(task.id),
        "faceline.outcome": kind,
        "faceline.reason": reason,
        "error.type": outcome.error === undefined ? reason : "run_failed",
      },
    });
    this.#exportSteps(infer.spanContext(), times, outcome);
    if (end !== undefined) {
      const answer = this.#start(`publish ${answersTemplate}`, {
        kind: SpanKind.PRODUCER,
        startAt: times.ranAt ?? times.answeredAt,
        parent: infer.spanContext(),
        attributes: {
          "messaging.system": "redis",
          "messaging.operation.name": "publish",
          "messaging.operation.type": "send",
          "messaging.destination.name": answersChannel(task.ingress),
          "messaging.destination.template": answersTemplate,
        },
      });
      endSpan(answer, times.answeredAt);
    }
    const isUnserved = kind === "failed" || kind === "expired";
    const error = isUnserved ? `${kind}: ${reason ?? "too late"}` : undefined;
    endSpan(infer, times.answeredAt, outcome.error ?? error);
  }

  /**
   * Fetching and decoding, the run, and the stages of the run, which follow each other in it. Lane and batch
   * are on the parent span: there are many of these spans, so an attribute costs most here.
   */
  #exportSteps(parent: SpanContext, times: BatchTimes, { usage, error }: BatchOutcome): void {
    const { preparedFrom, preparedUntil, runFrom, ranAt } = times;
    if (preparedFrom !== undefined && preparedUntil !== undefined) {
      endSpan(this.#start("prepare", { startAt: preparedFrom, parent }), preparedUntil);
    }
    if (runFrom === undefined || ranAt === undefined) return;
    const attributes = { "faceline.faces": usage?.faces };
    const run = this.#start("run", { startAt: runFrom, parent, attributes });
    let startAt = runFrom;
    for (const [name, ms = 0] of [
      ["detect", usage?.detectMs],
      ["align", usage?.alignMs],
      ["embed", usage?.embedMs],
    ] as const) {
      // A modelled engine has no stages.
      if (ms === 0) continue;
      endSpan(this.#start(name, { startAt, parent: run.spanContext() }), startAt + ms);
      startAt += ms;
    }
    endSpan(run, ranAt, error);
  }
}

const answersTemplate = answersChannel("{ingress}");

type BatchSpansOptions = { worker: string; pool: string; kafka?: SpanAttributes };

/** Instants of a batch; undefined for steps that it did not reach. */
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

type TaskEnd = {
  times: BatchTimes;
  outcome: BatchOutcome;
  end: CompletedTask | undefined;
  /** The span that processes the batch. */
  ofBatch: SpanContext;
};
