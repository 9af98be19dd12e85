import type { Clock } from "@faceline/contracts/runtime/clock";
import type { Metrics } from "@faceline/contracts/runtime/metrics/metrics";
import type { BatchId } from "@faceline/contracts/wire/batch";
import { failureReasons, ShedReason } from "@faceline/contracts/wire/outcome";
import type { Report } from "@faceline/contracts/wire/report";
import type { Lane } from "./scheduling/lane.ts";
import type { Dispatch, Event, Move, State } from "./scheduling/state.ts";
import { workerLoads } from "./scheduling/workers.ts";

/**
 * Records what the scheduler decides, from its events and moves, and shows its state when somebody asks. The
 * scheduler itself knows nothing of it.
 */
export class SchedulerMetrics {
  readonly #metrics: Metrics;
  readonly #state: State;
  readonly #clock: Clock;
  /** Predicted ends of the batches in `state.sent`, of those that this batcher sent. */
  readonly #predictedEnds = new Map<BatchId, number>();

  /** Undefined: nobody reads them. */
  static open(metrics: Metrics, state: State, clock: Clock): SchedulerMetrics | undefined {
    return metrics.on ? new SchedulerMetrics(metrics, state, clock) : undefined;
  }

  private constructor(metrics: Metrics, state: State, clock: Clock) {
    this.#metrics = metrics;
    this.#state = state;
    this.#clock = clock;
    for (const reason of ShedReason.options) metrics.add("faceline.tasks.shed", 0, { reason });
    for (const reason of failureReasons) metrics.add("faceline.tasks.failed", 0, { reason });
    metrics.add("faceline.tasks.expired", 0, {});
    this.#observeState();
  }

  /** To be called before the scheduler forgets the batches that a report says have ended. */
  beforeDecision(event: Event): void {
    if (event.kind === "report") this.#recordFinished(event.report);
  }

  afterDecision(moves: Move[]): void {
    for (const move of moves) {
      if (move.kind === "dispatch") this.#recordDispatch(move);
      else if (move.kind === "answer") this.#recordAnswer(move);
    }
  }

  #recordFinished({ finished }: Report): void {
    for (const { batch, lane, end, endedAt } of finished) {
      const predictedEndAt = this.#predictedEnds.get(batch);
      if (predictedEndAt === undefined || !this.#predictedEnds.delete(batch) || end !== "answered") continue;
      const lateMs = endedAt - predictedEndAt;
      const direction = lateMs > 0 ? "late" : "early";
      this.#metrics.record("faceline.batch.lateness", Math.abs(lateMs) / 1_000, { lane, direction });
    }
  }

  #recordDispatch({ batch, bucket, predictedEndAt }: Dispatch): void {
    const { id, lane, reason, attempt, sentAt, tasks } = batch;
    this.#metrics.add("faceline.batches", 1, { lane, reason });
    this.#metrics.record("faceline.batch.size", tasks.length, { lane });
    this.#metrics.record("faceline.batch.padding", Math.max(0, bucket - tasks.length), { lane });
    // Later attempts have not only waited.
    for (const { arrivedAt } of attempt === 1 ? tasks : []) {
      this.#metrics.record("faceline.queue.duration", Math.max(0, sentAt - arrivedAt) / 1_000, { lane });
    }
    // Those of lost batches are left over.
    if (this.#predictedEnds.size > 2 * this.#state.sent.size + leftOverMax) {
      for (const each of this.#predictedEnds.keys()) {
        if (!this.#state.sent.has(each)) this.#predictedEnds.delete(each);
      }
    }
    this.#predictedEnds.set(id, predictedEndAt);
  }

  #recordAnswer({ outcome }: Extract<Move, { kind: "answer" }>): void {
    switch (outcome.kind) {
      case "shed":
        return this.#metrics.add("faceline.tasks.shed", 1, { reason: outcome.reason });
      case "expired":
        return this.#metrics.add("faceline.tasks.expired", 1, {});
      case "failed":
        return this.#metrics.add("faceline.tasks.failed", 1, { reason: outcome.reason });
    }
  }

  #observeState(): void {
    const metrics = this.#metrics;
    const state = this.#state;
    const now = () => this.#clock.now();
    // During a rollout a lane has two builds.
    const eachLane = (value: (builds: Lane[]) => number) => () =>
      [...Map.groupBy(state.lanes.values(), ({ id }) => id)].map(
        ([lane, builds]): [number, { lane: string }] => [value(builds), { lane }],
      );
    const sum = (value: (lane: Lane) => number) =>
      eachLane((builds) => builds.reduce((total, lane) => total + value(lane), 0));
    const most = (value: (lane: Lane) => number) => eachLane((builds) => Math.max(...builds.map(value)));
    const ofLatest = (value: (run: Lane["run"]) => number) =>
      eachLane((builds) =>
        value(builds.reduce((one, other) => (other.learnedAt > one.learnedAt ? other : one)).run),
      );
    const ageMs = ({ queue }: Lane) => Math.max(0, now() - (queue.oldest?.queuedAt ?? Infinity));
    metrics.observe(
      "faceline.queue.tasks",
      sum((lane) => lane.waitingCount),
    );
    metrics.observe(
      "faceline.queue.age",
      most((lane) => ageMs(lane) / 1_000),
    );
    metrics.observe(
      "faceline.workers",
      sum((lane) => workerLoads(state, lane, now()).length),
    );
    metrics.observe(
      "faceline.run.model.alpha",
      ofLatest((run) => run.line.alpha / 1_000),
    );
    metrics.observe(
      "faceline.run.model.beta",
      ofLatest((run) => run.line.beta / 1_000),
    );
    metrics.observe(
      "faceline.run.model.residual",
      ofLatest((run) => run.residualMs / 1_000),
    );
    metrics.observe("faceline.hop.duration", () => [
      [state.hops.toWorker.ms / 1_000, { hop: "to_worker" }],
      [state.hops.fromWorker.ms / 1_000, { hop: "from_worker" }],
      [state.hops.reply.ms / 1_000, { hop: "reply" }],
    ]);
    metrics.observe("faceline.batcher.active", () => [[state.holdsPartition ? 1 : 0, {}]]);
  }
}

const leftOverMax = 64;
