import type { LaneId } from "@faceline/contracts/wire/ids";
import { failureReasons, ShedReason } from "@faceline/contracts/wire/outcome";
import type { Clock } from "@faceline/runtime/clock";
import type { Metrics } from "@faceline/runtime/metrics/metrics";
import type { SchedulerObserver } from "./scheduler-loop.ts";
import type { LaneEstimates } from "./scheduling/estimates/lane-estimates.ts";
import type { Lane } from "./scheduling/state/lane.ts";
import type { AnswerMove, Dispatch, Move, State } from "./scheduling/state/state.ts";

/**
 * Records what the scheduler decides, from its moves, and shows its state at each export. The
 * scheduler itself does not depend on it.
 */
export class SchedulerMetrics implements SchedulerObserver {
  readonly #metrics: Metrics;
  readonly #state: State;
  readonly #clock: Clock;
  /** Lanes whose counters are exported. */
  readonly #lanes = new Set<LaneId>();

  /** Undefined: nobody reads the metrics. */
  static open(metrics: Metrics, state: State, clock: Clock): SchedulerMetrics | undefined {
    return metrics.on ? new SchedulerMetrics(metrics, state, clock) : undefined;
  }

  private constructor(metrics: Metrics, state: State, clock: Clock) {
    this.#metrics = metrics;
    this.#state = state;
    this.#clock = clock;
    for (const reason of failureReasons) metrics.add("faceline.tasks.failed", 0, { reason });
    metrics.add("faceline.tasks.expired", 0, {});
    this.#observeState();
  }

  afterDecision(moves: Move[]): void {
    this.#beginLanes();
    for (const move of moves) {
      if (move.kind === "dispatch") this.#recordDispatch(move);
      else if (move.kind === "answer") this.#recordAnswer(move);
      else if (move.kind === "batch_ended") this.#recordLateness(move);
    }
  }

  /**
   * Shows the counters of new lanes at 0. Both sets are compared by their members after every decision: they
   * have a few, and a lane that takes the place of another leaves their sizes as they were.
   */
  #beginLanes(): void {
    for (const { id: lane } of this.#state.lanes.values()) {
      if (this.#lanes.has(lane)) continue;
      this.#lanes.add(lane);
      for (const reason of ShedReason.options) this.#metrics.add("faceline.tasks.shed", 0, { lane, reason });
    }
  }

  #recordLateness({ sent, end: { kind, finished } }: Extract<Move, { kind: "batch_ended" }>): void {
    if (kind !== "answered" || finished === undefined || sent.dispatch === undefined) return;
    const lateMs = finished.endedAt - sent.dispatch.predictedEndAt;
    const direction = lateMs > 0 ? "late" : "early";
    const attributes = { lane: sent.lane.id, direction };
    this.#metrics.record("faceline.batch.lateness", Math.abs(lateMs) / 1_000, attributes);
  }

  #recordDispatch({ batch, paddedSize }: Dispatch): void {
    const { lane, reason, attempt, sentAt, tasks } = batch;
    this.#metrics.add("faceline.batches", 1, { lane, reason });
    this.#metrics.record("faceline.batch.size", tasks.length, { lane });
    this.#metrics.record("faceline.batch.padding", Math.max(0, paddedSize - tasks.length), { lane });
    // The time of later attempts is more than waiting.
    for (const { arrivedAt } of attempt === 1 ? tasks : []) {
      this.#metrics.record("faceline.queue.duration", Math.max(0, sentAt - arrivedAt) / 1_000, { lane });
    }
  }

  #recordAnswer({ outcome, lane }: AnswerMove): void {
    switch (outcome.kind) {
      case "shed":
        return this.#metrics.add("faceline.tasks.shed", 1, {
          lane: lane ?? "unknown",
          reason: outcome.reason,
        });
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
    const ofLatest = (value: (run: LaneEstimates["run"]) => number) =>
      eachLane((builds) => {
        const estimates = builds.map((lane) => lane.estimates);
        return value(estimates.reduce((one, other) => (other.learnedAt > one.learnedAt ? other : one)).run);
      });
    const ageMs = ({ queue }: Lane) => Math.max(0, now() - (queue.oldest?.queuedAt ?? Infinity));
    metrics.observe(
      "faceline.queue.tasks",
      sum((lane) => lane.waitingCount),
    );
    metrics.observe(
      "faceline.queue.tasks.max",
      sum(() => state.settings.laneWaitingMax),
    );
    metrics.observe(
      "faceline.queue.age",
      most((lane) => ageMs(lane) / 1_000),
    );
    metrics.observe(
      "faceline.workers",
      sum((lane) => state.loads.of(lane, now()).length),
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
    metrics.observe("faceline.batches.unreceived", () => this.#unreceivedByPartition());
    metrics.observe("faceline.workers.needed", () =>
      state.holdsPartition ? [[state.workersNeeded.count, {}]] : [],
    );
    metrics.observe("faceline.batcher.active", () => [[state.holdsPartition ? 1 : 0, {}]]);
  }

  /** Batches of another batcher are not counted: the worker already held them when its report was read. */
  #unreceivedByPartition(): [number, { partition: number }][] {
    const partitions = [...this.#state.workers.values()].flatMap((worker) => worker.partitions);
    const counts = new Map(partitions.map((partition) => [partition, 0]));
    for (const { phase, dispatch } of this.#state.sent.values()) {
      const partition = dispatch?.partition;
      if (phase.kind !== "travelling" || partition === undefined) continue;
      counts.set(partition, (counts.get(partition) ?? 0) + 1);
    }
    return [...counts].map(([partition, count]) => [count, { partition }]);
  }
}
