import type { failureReasons, ShedReason } from "@faceline/contracts/wire/outcome";
import type { Report } from "@faceline/contracts/wire/report";
import { RecentSlots } from "@faceline/runtime/live/recent/slots";
import type { SchedulerObserver } from "../scheduler-loop.ts";
import type { Lane } from "../scheduling/state/lane.ts";
import type { AnswerMove, Dispatch, Event, Move, State } from "../scheduling/state/state.ts";
import { LaneHistory } from "./lane-history.ts";
import { WorkerHistory } from "./worker-history.ts";

/**
 * Remembers the last minutes of the scheduler for the live page, in a bounded memory and without a timer. It
 * adds some 3 µs to the 30 µs of a batch. Nothing is computed until somebody asks.
 */
export class SchedulerHistory implements SchedulerObserver {
  readonly tasks = new RecentSlots<"sent" | "waiting" | "unserved" | "expired">();
  readonly shed = new RecentSlots<ShedReason>();
  readonly failed = new RecentSlots<(typeof failureReasons)[number]>();
  readonly #state: State;
  /** Freed with the lanes that the scheduler forgets. */
  readonly #lanes = new WeakMap<Lane, LaneHistory>();
  readonly #workers = new Map<string, WorkerHistory>();

  constructor(state: State) {
    this.#state = state;
  }

  of(lane: Lane): LaneHistory {
    let history = this.#lanes.get(lane);
    if (history === undefined) {
      history = new LaneHistory();
      this.#lanes.set(lane, history);
    }
    return history;
  }

  /** Histories of workers that the scheduler has forgotten are dropped when another worker is new. */
  ofWorker(id: string): WorkerHistory {
    let history = this.#workers.get(id);
    if (history === undefined) {
      for (const known of this.#workers.keys()) {
        if (!this.#state.workers.has(known)) this.#workers.delete(known);
      }
      history = new WorkerHistory();
      this.#workers.set(id, history);
    }
    return history;
  }

  beforeDecision(event: Event): void {
    if (event.kind === "report") this.#addFinished(event.report);
  }

  afterDecision(moves: Move[], now: number): void {
    for (const move of moves) {
      if (move.kind === "dispatch") this.#addDispatch(move, now);
      else if (move.kind === "answer") this.#addAnswer(move, now);
      else if (move.kind === "batch_ended") this.ofWorker(move.sent.worker).addEnd(move.sent, move.end, now);
    }
    let waiting = 0;
    for (const lane of this.#state.lanes.values()) {
      this.of(lane).addState(lane, now);
      waiting += lane.waitingCount;
    }
    this.tasks.raise("waiting", waiting, now);
  }

  #addFinished({ finished }: Report): void {
    for (const { batch, end, size, runMs, endedAt } of finished) {
      // Reports repeat what they have said, of batches that are no longer in `sent`.
      const sent = this.#state.sent.get(batch);
      if (sent === undefined || end !== "answered" || size === 0) continue;
      const history = this.of(sent.lane);
      history.addRun(sent.lane.estimates.paddedSize(size), runMs);
      if (sent.dispatch === undefined) continue;
      history.predictions.add({
        predictedMs: sent.dispatch.predictedEndAt - sent.sentAt,
        realMs: endedAt - sent.sentAt,
      });
    }
  }

  #addDispatch({ batch }: Dispatch, now: number): void {
    const lane = this.#state.sent.get(batch.id)?.lane;
    if (lane === undefined) return;
    const { counts, reasons, sizes } = this.of(lane);
    const count = batch.tasks.length;
    counts.add("sent", count, now);
    reasons.add(batch.reason, 1, now);
    sizes.add(count, 1, now);
    this.tasks.add("sent", count, now);
  }

  #addAnswer({ lane: id, outcome }: AnswerMove, now: number): void {
    this.tasks.add("unserved", 1, now);
    switch (outcome.kind) {
      case "shed": {
        this.shed.add(outcome.reason, 1, now);
        const lane = this.#state.lanes.values().find((each) => each.id === id);
        if (lane !== undefined) this.of(lane).counts.add("shed", 1, now);
        return;
      }
      case "expired":
        return this.tasks.add("expired", 1, now);
      case "failed":
        return this.failed.add(outcome.reason, 1, now);
    }
  }
}
