import type { TaskId } from "@faceline/contracts/wire/ids";
import type { Clock } from "@faceline/runtime/clock";
import type { DedupedLog } from "@faceline/runtime/deduped-log";
import { batchIds } from "@faceline/runtime/log-ids";
import { Stopwatch } from "@faceline/runtime/starvation";
import type { AnswerOutbox } from "./answer-outbox.ts";
import type { BatchOutbox } from "./batch-outbox.ts";
import type { BatchSpans } from "./batch-spans.ts";
import { logBatchEnd, logIgnoredBatches } from "./decision-log.ts";
import type { PoolOutbox } from "./pool-outbox.ts";
import { decide } from "./scheduling/decide.ts";
import type { AnswerMove, Dispatch, Event, Move, State } from "./scheduling/state/state.ts";
import { silenceMaxMs } from "./scheduling/state/workers.ts";

/**
 * Feeds events to the scheduler and carries out its decisions: the one place where moves become batches,
 * answers and timers. Its tick finds workers that fell silent, because silence is not an event.
 *
 *     inboxes ──event──► handle ──► decide ──moves──► batch outbox, answer outbox, wake timer
 *     tick, wake timer ────┘           └──────────► pool outbox: the state has changed
 */
export class SchedulerLoop implements AsyncDisposable {
  readonly #parts: SchedulerLoopParts;
  readonly #endedListeners: ((tasks: TaskId[]) => void)[] = [];
  #tick: NodeJS.Timeout | undefined;
  #wakeTimer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(parts: SchedulerLoopParts) {
    this.#parts = parts;
    this.#tickLater();
  }

  #tickLater(): void {
    const sinceTick = new Stopwatch();
    const { state, clock, poolState } = this.#parts;
    this.#tick = setTimeout(
      () => {
        this.handle({ kind: "timer", withoutCoreMs: sinceTick.withoutCoreMs });
        poolState.compare();
        this.#tickLater();
      },
      tickMs(state, clock.now()),
    );
  }

  /** Decides on an event and acts on the decision. Does nothing once the loop has been closed. */
  handle(event: Event): void {
    if (this.#stopped) return;
    const { state, clock, poolState, spans, dedupedLog, observers = [] } = this.#parts;
    const now = clock.now();
    if (event.kind === "partition_lost") spans.endAll(now);
    if (event.kind === "report") logIgnoredBatches(dedupedLog, event.report);
    const moves = decide(state, event, now);
    for (const observer of observers) observer.afterDecision(moves, now);
    this.#act(moves, now);
    // What time alone changes is published with the next tick.
    if (event.kind !== "timer" && event.kind !== "session") poolState.stateChanged();
  }

  /** Calls `listener` with tasks that have ended, in whatever way. */
  onEnded(listener: (tasks: TaskId[]) => void): void {
    this.#endedListeners.push(listener);
  }

  #act(moves: Move[], decidedAt: number): void {
    const answers: AnswerMove[] = [];
    for (const move of moves) {
      switch (move.kind) {
        case "dispatch":
          this.#send(move);
          break;
        case "answer":
          answers.push(move);
          break;
        case "batch_ended":
          logBatchEnd(this.#parts.dedupedLog, move.sent, move.end, this.#parts.spans.spanOf(move.sent.id));
          this.#parts.spans.end(move.sent.id, move.end, decidedAt);
          break;
        case "ended":
          this.#notifyEnded(move.tasks);
          break;
        case "wake":
          this.#wakeAt(move.at);
          break;
      }
    }
    if (answers.length === 0) return;
    this.#parts.spans.answer(answers, decidedAt);
    // A task has ended only when its answer is delivered or late; until then its offset is not committed.
    void this.#parts.answers.send(answers, decidedAt, (tasks) => this.#notifyEnded(tasks));
  }

  #send(dispatch: Dispatch): void {
    const { batches, clock, spans, dedupedLog } = this.#parts;
    const batch = spans.send(dispatch);
    batches.send(dispatch.partition, batch).then(
      () => spans.acknowledge(batch.id, clock.now()),
      (error: Error) => {
        const fields = { ...batchIds(batch), reason: error.message };
        dedupedLog.warn(fields, "a batch was not sent; its tasks wait again");
        this.handle({ kind: "undelivered", batch: batch.id });
      },
    );
  }

  #wakeAt(at: number): void {
    clearTimeout(this.#wakeTimer);
    // Timers drop fractions of a millisecond: without rounding up, the wake would come too soon.
    const delayMs = Math.min(Math.max(Math.ceil(at - this.#parts.clock.now()), 0), timerMaxMs);
    this.#wakeTimer = setTimeout(() => this.handle({ kind: "timer" }), delayMs);
  }

  #notifyEnded(tasks: TaskId[]): void {
    for (const listener of this.#endedListeners) listener(tasks);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    this.#parts.spans.endAll(this.#parts.clock.now());
    clearTimeout(this.#tick);
    clearTimeout(this.#wakeTimer);
  }
}

/** Returns the time until the next tick: at most that until a worker falls silent. */
function tickMs({ sent, workers }: State, now: number): number {
  let delayMs = sent.size > 0 ? tickMaxMs : idleTickMaxMs;
  for (const { reportedAt } of workers.values()) {
    const silentInMs = reportedAt + silenceMaxMs - now;
    if (silentInMs > 0) delayMs = Math.min(delayMs, Math.ceil(silentInMs));
  }
  return delayMs;
}

/** Longest pause between ticks while workers have batches, which may hang. */
const tickMaxMs = 100;
const idleTickMaxMs = 250;

/** The longest delay of a timer: Node fires a longer one after 1 ms. */
const timerMaxMs = 2 ** 31 - 1;

export type SchedulerLoopParts = {
  state: State;
  clock: Clock;
  batches: BatchOutbox;
  answers: AnswerOutbox;
  poolState: Pick<PoolOutbox, "compare" | "stateChanged">;
  spans: BatchSpans;
  dedupedLog: Pick<DedupedLog, "warn">;
  /** Undefined if nobody reads them. */
  observers?: SchedulerObserver[];
};

/** Observes what the scheduler decides, which does not depend on it. */
export type SchedulerObserver = { afterDecision(moves: Move[], now: number): void };
