// Used by simulated-worker.ts and all that makes workers for simulations.
import type { BatchTask } from "@faceline/contracts/wire/batch";
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { LoadedLane } from "@faceline/contracts/wire/report";
import type { EventQueue } from "./event-queue.ts";
import type { Random } from "./random.ts";

/** Build of workers whose model names no other. */
export const simulatedBuild: LaneBuild = {
  digest: "0".repeat(16),
  modelVersion: "0".repeat(12),
  precision: "float32",
};

/** The build of a lane or a worker. */
export const builtAs = ({ build = simulatedBuild }: { build?: LaneBuild }): LaneBuild => build;

/** Returns the entry of a report for a lane of this model. */
export const warmedUp = (
  { lane, build = simulatedBuild, sizes, alpha, beta, warmMs }: LaneModel,
  warmUpFactor: number,
): LoadedLane => ({
  lane,
  build,
  executionProvider: "model",
  precisions: [],
  sizes: sizes.map((size) => ({
    size,
    runMs: warmUpFactor * (warmMs?.(size) ?? alpha + beta * size),
  })),
});

export type LaneModel = {
  lane: LaneId;
  build?: LaneBuild;
  /** A run of a batch takes `alpha + beta · size` ms, the size being the least of `sizes` that holds it. */
  alpha: number;
  beta: number;
  sizes: number[];
  /** Fetch and decode: `alpha + beta · the costs of the images` ms. */
  prepare: { alpha: number; beta: number; noise?: number };
  /** Run time of a batch of `size` in the warm-up, in place of the line above. */
  warmMs?: (size: number) => number;
};

/** Does the work of a worker in simulated time, and calls `done` at its end. */
export type WorkerWork = {
  /** Fetches and decodes the images of tasks. */
  prepare(tasks: readonly BatchTask[], done: () => void): void;
  /** Runs a batch of a lane that is padded to `size`. */
  run(lane: LaneId, size: number, done: () => void): void;
  /** Takes the time between two runs, although the next batch is ready. */
  turnAround(done: () => void): void;
};

export type WorkerModel = LaneModel & {
  partition: number;
  /** Called for each process. Its work takes time in place of the lines of the lanes. */
  openWork?: (environment: { events: EventQueue; random: Random }) => WorkerWork;
  /** Lanes that it has besides the first. */
  otherLanes?: LaneModel[];
  /** Standard deviation of a run's time, as a share of it. */
  noise: number;
  /** Ratio of the run times in its warm-up to the real ones. */
  warmUpFactor: number;
  /** Factor on the run time at an instant: slower above 1, faster below. */
  slowdownAt?: (nowMs: number) => number;
  stalls?: { atMs: number; ms: number }[];
  /** Instants at which it dies; another process takes its place after the cold start. */
  deaths?: { atMs: number }[];
  coldStartMs: number;
};
