import { costUnitMs } from "@faceline/images/decoding-cost";
import type { BatchTask } from "@faceline/contracts/wire/batch";
import { type BatchLoad, isHeavy, loadOf } from "../queue/batch-load.ts";
import { ArrivalRate } from "./arrival-rate.ts";
import type { HopTimes } from "./hop-times.ts";
import { TenantDemand } from "./tenant-demand.ts";
import { TimeModel } from "./time-model.ts";

/** Arrivals of a lane, and the times that its batches take. */
export class LaneEstimates {
  readonly arrivals = new ArrivalRate();
  readonly demand = new TenantDemand();
  /** Instant of the last warm-up or run whose time was learned. */
  learnedAt = Number.NEGATIVE_INFINITY;
  #sizes: readonly number[] = [1];
  #run = new TimeModel(runTimeGuess, "guessed");
  /** Time to fetch and decode the images of a light batch, by the sum of their costs. */
  readonly #prepare = new TimeModel(prepareTimeGuess, "guessed");
  /** The same for heavy batches: their times vary too much to share a model with light ones. */
  readonly #prepareHeavy = new TimeModel(prepareHeavyTimeGuess, "guessed");
  /** Exponentially weighted mean of the costs of light tasks. */
  #lightCost = 1;
  #warmedUp = false;
  /** Cleared when an input changes, except for the hops: it is keyed by their sum. */
  #throughputs: { hopsMs: number; perMs: readonly number[] } | undefined;

  /** The batch sizes that workers have warmed up, ascending; only 1 before the first report. */
  get sizes(): readonly number[] {
    return this.#sizes;
  }

  set sizes(sizes: readonly number[]) {
    this.#throughputs = undefined;
    this.#sizes = sizes;
  }

  /** Run time by padded size. */
  get run(): Pick<TimeModel, "meanMs" | "highMs" | "isStale" | "residualMs" | "line"> {
    return this.#run;
  }

  /**
   * Takes the first worker's warm-up times over the guess: a wrong guess could keep the useful size at 1
   * forever.
   */
  warmUp(sizes: { size: number; runMs: number }[], now: number): void {
    if (this.#warmedUp) return;
    this.#warmedUp = true;
    this.learnedAt = now;
    this.sizes = sizes.map((each) => each.size);
    this.#run = new TimeModel(sizes.map(({ size, runMs }) => ({ size, ms: runMs })));
  }

  learnRun(count: number, ms: number, now: number): void {
    this.#throughputs = undefined;
    this.#run.learn(this.paddedSize(count), ms);
    this.learnedAt = now;
  }

  learnPreparation(load: BatchLoad, ms: number): void {
    this.#throughputs = undefined;
    this.#prepareOf(load).learn(roundedCost(load.cost), ms);
  }

  learnLightCost({ cost, count }: BatchLoad): void {
    this.#throughputs = undefined;
    this.#lightCost += lightCostShare * (cost / count - this.#lightCost);
  }

  get batchMax(): number {
    return this.#sizes.at(-1)!;
  }

  /** The size that a batch of `count` tasks is padded to, and takes the time of. */
  paddedSize(count: number): number {
    for (const size of this.#sizes) if (size >= count) return size;
    return this.batchMax;
  }

  /** Expected run time in ms of a batch of `count` tasks: for capacity and for staging just in time. */
  runMs(count: number): number {
    return this.#run.meanMs(this.paddedSize(count));
  }

  /** Pessimistic run time in ms of a batch of `count` tasks: for whether it can still meet a deadline. */
  runHighMs(count: number): number {
    return this.#run.highMs(this.paddedSize(count));
  }

  /** Returns the load of a batch of `count` light tasks. */
  lightLoad(count: number): BatchLoad {
    return { count, cost: count * this.#lightCost, isHeavy: false };
  }

  /** Expected time in ms to prepare a batch. */
  prepareMs(load: BatchLoad): number {
    return this.#prepareOf(load).meanMs(load.cost);
  }

  /** Pessimistic time in ms to prepare a batch. */
  prepareHighMs(load: BatchLoad): number {
    return this.#prepareOf(load).highMs(load.cost);
  }

  /**
   * Returns the time in ms from one batch of light tasks to the next on a worker. Only one batch is staged,
   * so a short run waits for the preparation of the next.
   */
  cycleMs({ toWorker, fromWorker }: HopTimes, size: number): number {
    const prepareMs = this.#prepare.meanMs(size * this.#lightCost);
    return Math.max(this.#run.meanMs(size), toWorker.ms + fromWorker.ms + prepareMs);
  }

  /**
   * Returns the throughput of one worker at each of `sizes`, in tasks per ms. It is cached: a decision needs
   * it several times, and most decisions come between two reports.
   */
  throughputs(hops: HopTimes): readonly number[] {
    const hopsMs = hops.toWorker.ms + hops.fromWorker.ms;
    if (this.#throughputs?.hopsMs !== hopsMs) {
      this.#throughputs = { hopsMs, perMs: this.#sizes.map((size) => size / this.cycleMs(hops, size)) };
    }
    return this.#throughputs.perMs;
  }

  /**
   * Returns how much of a worker's time a task takes, in light tasks of `lightTaskMs` each: at least 1. A
   * task that is prepared while others run takes time only if its preparation takes longer than its run.
   */
  weightOf(task: BatchTask, lightTaskMs: number): number {
    const ms = isHeavy(task) ? this.prepareMs(loadOf([task])) : this.#prepare.line.beta * task.cost;
    return Math.max(1, ms / lightTaskMs);
  }

  #prepareOf({ isHeavy }: BatchLoad): TimeModel {
    return isHeavy ? this.#prepareHeavy : this.#prepare;
  }
}

const runTimeGuess = [{ size: 1, ms: 100 }];

/** Guess until some were measured: one photograph of a megapixel, and four on two cores. */
const prepareTimeGuess = [
  { size: 1, ms: 20 },
  { size: 4, ms: 50 },
];

/** Times of the reference machine. */
const prepareHeavyTimeGuess = [
  { size: 10, ms: 10 * costUnitMs },
  { size: 100, ms: 100 * costUnitMs },
];

/** Weight of a batch in the mean cost of light tasks. */
const lightCostShare = 0.05;

/** A time model keeps a mean for each size: costs above 16 are rounded to three binary digits. */
function roundedCost(cost: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(cost)) - 3);
  return Math.max(1, Math.round(cost / step)) * step;
}
