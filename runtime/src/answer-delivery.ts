import type { TaskId } from "@faceline/contracts/wire/ids";
import { type AddressedAnswer, type AnswersRedis, publishAnswers } from "./answers.ts";
import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";
import { requestIdsOf } from "./log-ids.ts";

/**
 * Publishes answers, and publishes those that were not delivered again and again, each until its deadline:
 * then no client waits for it any more.
 *
 *     deliver ──► publish ──not delivered──► [ undelivered, in turns ] ──► publish ──► …
 *                    └──delivered, or past its deadline──► onEnded
 */
export class AnswerDelivery implements AsyncDisposable {
  readonly #parts: AnswerDeliveryParts;
  /** Answers in the order of their next try. */
  #undelivered: Undelivered[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #retrying = false;
  #closed = false;

  constructor(parts: AnswerDeliveryParts) {
    this.#parts = parts;
  }

  /**
   * Publishes these answers. Calls `onEnded` with tasks as their answers are delivered or pass their
   * deadlines, and resolves when it was called with all of them. Never throws.
   */
  async deliver(answers: AddressedAnswer[], onEnded: OnEnded = () => {}): Promise<void> {
    if (answers.length === 0) return;
    const { redis, clock, log, retriedBytesMax = answersRetriedBytesMax } = this.#parts;
    const { undelivered, reason } = await publishAnswers(redis, answers, clock.now());
    const left = new Set(undelivered);
    const ended = answers.filter((answer) => !left.has(answer)).map((answer) => answer.task);
    if (ended.length > 0) onEnded(ended);
    if (undelivered.length === 0) return;
    const fields = { answers: undelivered.length, request_ids: firstIdsOf(undelivered), reason };
    log.warn(fields, "answers were not delivered; delivery is retried");
    const { promise: all, resolve } = Promise.withResolvers<void>();
    let openCount = undelivered.length;
    const end = (task: TaskId) => {
      onEnded([task]);
      if (--openCount === 0) resolve();
    };
    const dropped: AddressedAnswer[] = [];
    for (const answer of undelivered) {
      const bytes = Buffer.byteLength(answer.json);
      const isKept = this.#bytes + bytes <= retriedBytesMax;
      if (isKept) this.#bytes += bytes;
      else dropped.push(answer);
      // Without its text, it still ends its task, but only at the deadline: the task may have no answer.
      const kept = isKept ? answer : { ...answer, json: "" };
      this.#undelivered.push({ answer: kept, bytes: isKept ? bytes : 0, end });
    }
    if (dropped.length > 0) {
      const ids = { reason: "bytes", request_ids: firstIdsOf(dropped) };
      log.error({ answers: dropped.length, ...ids, retriedBytesMax }, "too many answers wait for Redis");
    }
    this.#retrySoon();
    await all;
  }

  #retrySoon(): void {
    if (this.#closed || this.#retrying || this.#undelivered.length === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#retry();
    }, retryDelayMs);
  }

  async #retry(): Promise<void> {
    const { redis, clock } = this.#parts;
    this.#retrying = true;
    for (let failed = false; !failed && !this.#closed; ) {
      this.#endPastDeadline();
      const tried = this.#undelivered.filter(({ answer }) => answer.json !== "").slice(0, retriedAtOnce);
      if (tried.length === 0) break;
      const answers = tried.map((each) => each.answer);
      const left = new Set((await publishAnswers(redis, answers, clock.now())).undelivered);
      const isTried = new Set(tried);
      const failures = tried.filter(({ answer }) => left.has(answer));
      // Failed answers go to the end of the queue.
      this.#undelivered = [...this.#undelivered.filter((each) => !isTried.has(each)), ...failures];
      this.#end(tried.filter(({ answer }) => !left.has(answer)));
      failed = failures.length > 0;
    }
    this.#retrying = false;
    this.#retrySoon();
  }

  #endPastDeadline(): void {
    const now = this.#parts.clock.now();
    const past = this.#undelivered.filter(({ answer }) => answer.deadlineAt <= now);
    if (past.length === 0) return;
    this.#undelivered = this.#undelivered.filter(({ answer }) => answer.deadlineAt > now);
    const ids = { reason: "deadline", request_ids: firstIdsOf(past.map(({ answer }) => answer)) };
    this.#parts.log.error({ answers: past.length, ...ids }, "answers were dropped at their deadline");
    this.#end(past);
  }

  #end(ended: Undelivered[]): void {
    for (const { answer, bytes, end } of ended) {
      this.#bytes -= bytes;
      end(answer.task);
    }
  }

  /** Gives up what was not delivered. Its tasks have not ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
  }
}

/** The calls of the first answers, for a line of the log. */
const firstIdsOf = (answers: AddressedAnswer[]): string[] =>
  requestIdsOf(answers.slice(0, loggedAnswersMax).map(({ task }) => task));

const loggedAnswersMax = 20;
const retryDelayMs = 100;
/** Answers in one pipeline: few enough for a command timeout even if each holds many faces. */
const retriedAtOnce = 500;

type OnEnded = (tasks: TaskId[]) => void;

/** `answer.json` is empty if too many bytes were waiting already. */
type Undelivered = { answer: AddressedAnswer; bytes: number; end(task: TaskId): void };

/** Bytes of the answers of some hundred images with many faces, or of thousands with one. */
const answersRetriedBytesMax = 16 * 1024 * 1024;

type AnswerDeliveryParts = {
  redis: AnswersRedis;
  clock: Clock;
  log: Log;
  /** JSON of the answers that are retried, in bytes. More are not retried. */
  retriedBytesMax?: number;
};
