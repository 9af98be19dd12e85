import type { Clock } from "@faceline/contracts/runtime/clock";
import type { RepeatedLog } from "@faceline/contracts/runtime/repeated-log";
import type { Batch } from "@faceline/contracts/wire/batch";
import { requestIdOf, type TaskId } from "@faceline/contracts/wire/ids";
import type { AnswerOutbox } from "./answer-outbox.ts";
import type { BatchOutbox } from "./batch-outbox.ts";
import type { PoolOutbox } from "./pool-outbox.ts";
import type { SchedulerMetrics } from "./scheduler-metrics.ts";
import { decide } from "./scheduling/decide.ts";
import type { Dispatch, Event, Move, State } from "./scheduling/state.ts";

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
  readonly #tick: NodeJS.Timeout;
  #wakeTimer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(parts: SchedulerLoopParts) {
    this.#parts = parts;
    this.#tick = setInterval(() => this.handle({ kind: "timer" }), tickEveryMs);
  }

  /** Decides on an event and acts on the decision. Does nothing once the loop has been closed. */
  handle(event: Event): void {
    if (this.#stopped) return;
    const { state, clock, poolState, metrics } = this.#parts;
    metrics?.beforeDecision(event);
    const moves = decide(state, event, clock.now());
    metrics?.afterDecision(moves);
    this.#act(moves);
    // What time alone changes is published with the next regular state: a comparison per tick would cost an
    // idle pool.
    if (event.kind !== "timer" && event.kind !== "session") poolState.stateChanged();
  }

  /** Calls `listener` with the tasks that have ended, however they ended. */
  onEnded(listener: (tasks: TaskId[]) => void): void {
    this.#endedListeners.push(listener);
  }

  #act(moves: Move[]): void {
    const answers: AnswerMove[] = [];
    for (const move of moves) {
      switch (move.kind) {
        case "dispatch":
          this.#send(move);
          break;
        case "answer":
          answers.push(move);
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
    // A task has ended only when its answer is delivered or late: until then its offset is not committed.
    void this.#parts.answers.send(answers, this.#parts.clock.now(), (tasks) => this.#notifyEnded(tasks));
  }

  #send({ partition, batch }: Dispatch): void {
    const { batches, lines } = this.#parts;
    const facts = { batch: batch.id, requestIds: requestIdsOf(batch) };
    if (batch.attempt > 1) {
      const reason = `attempt ${batch.attempt}`;
      lines.warn({ ...facts, reason }, "tasks whose run failed or whose worker was lost are sent again");
    }
    batches.send(partition, batch).catch((error: Error) => {
      lines.warn({ ...facts, reason: error.message }, "a batch was not sent; its tasks wait again");
      this.handle({ kind: "undelivered", batch: batch.id });
    });
  }

  #wakeAt(at: number): void {
    clearTimeout(this.#wakeTimer);
    // Timers drop fractions of a millisecond: without rounding up, the wake would come too soon.
    const delayMs = Math.min(Math.ceil(at - this.#parts.clock.now()), timerMaxMs);
    this.#wakeTimer = setTimeout(() => this.handle({ kind: "timer" }), delayMs);
  }

  #notifyEnded(tasks: TaskId[]): void {
    for (const listener of this.#endedListeners) listener(tasks);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#tick);
    clearTimeout(this.#wakeTimer);
  }
}

const requestIdsOf = ({ tasks }: Batch): string[] => [...new Set(tasks.map(({ id }) => requestIdOf(id)))];

/** A silent worker is found this much later than `silenceMaxMs` at most. */
const tickEveryMs = 100;

/** The longest delay of a timer: Node fires a longer one after 1 ms. */
const timerMaxMs = 2 ** 31 - 1;

type AnswerMove = Extract<Move, { kind: "answer" }>;

export type SchedulerLoopParts = {
  state: State;
  clock: Clock;
  batches: BatchOutbox;
  answers: AnswerOutbox;
  poolState: Pick<PoolOutbox, "stateChanged">;
  lines: Pick<RepeatedLog, "warn">;
  /** Undefined: nobody reads them. */
  metrics?: SchedulerMetrics | undefined;
};
