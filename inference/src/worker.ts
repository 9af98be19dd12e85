import type { Batch } from "@faceline/contracts/wire/batch";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { Report } from "@faceline/contracts/wire/report";
import type { Log } from "@faceline/runtime/log";
import { batchIds } from "@faceline/runtime/log-ids";
import { coreWaits, Stopwatch } from "@faceline/runtime/starvation";
import { BatchCompletion, type BatchCompletionParts, type BatchResult } from "./batch-completion.ts";
import { crowdsOf, heldBatch, nothingRun, type RunMeasurements, runTimes } from "./batch-report.ts";
import { runImages } from "./batch-run.ts";
import { completeTasks, type ReceivedBatch } from "./completed-tasks.ts";
import type { Engine } from "./engine/engine.ts";
import type { Preparation, PreparedBatch } from "./preparation.ts";

/**
 * Runs batches through the engine, one at a time, while the next ones are fetched and decoded. Two batches
 * are prepared side by side, and the one that is ready first runs first: so usual images do not wait for
 * one whose decode takes seconds.
 *
 *     take ──► [ staged ] ──► prepare, two at a time ──► [ ready ] ──► run ──► answer ──► finished
 *
 * Every report names a batch from `take` until it has finished, and some later reports do too. A batch whose
 * run fails finishes as `failed` and without answers: its tasks are the batcher's again.
 */
export class Worker {
  readonly #parts: WorkerParts;
  /** The batches that have no answer yet, in the order of their arrival. */
  readonly #batches = new Map<ReceivedBatch, Phase>();
  readonly #completion: BatchCompletion;
  #lastReady = 0;
  #onIdle: () => void = () => {};
  #draining = false;
  #abandoned = false;
  #partitions: readonly number[] = [];

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#completion = new BatchCompletion(parts);
  }

  /** Sets the partitions that this worker holds from now on. */
  assign(partitions: readonly number[]): void {
    this.#partitions = partitions;
    this.#parts.onChange();
  }

  /** Reports from now on that this worker takes no new partitions and finishes what it holds. */
  startDraining(): void {
    this.#draining = true;
    this.#parts.onChange();
  }

  /**
   * Names no batch in reports from now on, so that the batcher sends all of them to other workers at once.
   * For a process that is about to exit.
   */
  abandon(): void {
    this.#abandoned = true;
  }

  /**
   * Queues a batch. Ignores one that it already has, and those beyond `heldBatchesMax`, which the batcher
   * sends again. Refuses one for another build of its lane, whose partition has moved here.
   */
  take(batch: Batch): void {
    // Kafka delivers a batch again after a rebalance that was faster than the commit.
    if (this.#has(batch)) return;
    if (this.#staged().length >= this.#parts.heldBatchesMax) {
      const fields = { reason: "held", ...batchIds(batch) };
      this.#parts.log.warn(fields, "too many batches are held; this one is left to the batcher");
      return;
    }
    if (this.#buildOf(batch)?.digest !== batch.digest) return this.#refuse(batch);
    this.#batches.set({ ...batch, receivedAt: this.#parts.clock.now() }, { kind: "staged" });
    this.#prepareNext();
  }

  /** Returns the build that this worker runs for the lane of a batch. */
  #buildOf({ lane }: Batch): LaneBuild | undefined {
    return this.#parts.engine.lanes.find((each) => each.lane === lane)?.build;
  }

  #refuse(batch: Batch): void {
    const ids = { reason: "build", ...batchIds(batch), lane: batch.lane };
    this.#parts.log.warn(ids, "a batch for another build was left to the batcher");
    this.#completion.refuse(batch);
  }

  #has({ id }: Batch): boolean {
    return this.#batches.keys().some((each) => each.id === id) || this.#completion.has(id);
  }

  /** The batches that wait for their run. */
  #staged(): ReceivedBatch[] {
    return [...this.#batches].flatMap(([batch, { kind }]) => (kind === "running" ? [] : [batch]));
  }

  #running(): Running | undefined {
    return this.#batches.values().find((phase) => phase.kind === "running");
  }

  /** Resolves when every batch has been answered. */
  async drained(): Promise<void> {
    while (this.#batches.size > 0 || this.#completion.answering.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
  }

  /** The contents of a report. */
  read(): Omit<Report, "worker" | "sequence" | "sentAt"> {
    const running = this.#abandoned ? undefined : this.#running();
    const staged = this.#abandoned ? [] : this.#staged();
    const answering = this.#abandoned ? [] : [...this.#completion.answering];
    return {
      draining: this.#draining,
      partitions: [...this.#partitions],
      lanes: this.#parts.engine.lanes,
      running: running === undefined ? null : { ...heldBatch(running.batch), ...this.#timesOf(running) },
      staged: staged.map(heldBatch),
      answering: answering.map(heldBatch),
      imageBytes: this.#parts.imageBytes(),
      finished: this.#completion.finished,
    };
  }

  /** Notes whether the run has progressed since the last report. */
  #timesOf(running: Running): ReturnType<typeof runTimes> {
    const { clock, engine } = this.#parts;
    if (engine.steps !== running.steps) Object.assign(running, progressOf(engine, clock.now()));
    return runTimes({ ...running, withoutCoreMs: running.sinceStep.withoutCoreMs });
  }

  /** Starts to prepare staged batches, in their order, as long as buffers are free. */
  #prepareNext(): void {
    const taken = [...this.#batches].filter(([, { kind }]) => kind === "preparing" || kind === "ready");
    const staged = [...this.#batches].filter(([, { kind }]) => kind === "staged");
    for (const [batch] of staged.slice(0, preparedBatchesMax - taken.length)) void this.#prepare(batch);
  }

  async #prepare(batch: ReceivedBatch): Promise<void> {
    this.#batches.set(batch, { kind: "preparing" });
    const prepared = await this.#parts.prepare(batch).catch((error: Error) => error);
    this.#batches.set(batch, { kind: "ready", prepared, order: ++this.#lastReady });
    this.#runNext();
  }

  /** Runs the batch that became ready first, unless another one runs. */
  #runNext(): void {
    if (this.#running() !== undefined) return;
    const [first] = [...this.#batches]
      .flatMap(([batch, phase]) => (phase.kind === "ready" ? [{ batch, ...phase }] : []))
      .toSorted((a, b) => a.order - b.order);
    if (first?.prepared instanceof Error) this.#fail(first.batch, first.prepared.message);
    else if (first !== undefined) void this.#run(first.batch, first.prepared);
  }

  #fail(batch: ReceivedBatch, error: string): void {
    const { clock, log } = this.#parts;
    log.error({ ...batchIds(batch), reason: error }, "a batch could not be prepared");
    this.#end(batch, { error, times: { receivedAt: batch.receivedAt } }, nothingRun(clock.now()));
  }

  async #run(batch: ReceivedBatch, prepared: PreparedBatch): Promise<void> {
    const { clock, engine, log } = this.#parts;
    const startedAt = clock.now();
    this.#batches.set(batch, { kind: "running", batch, startedAt, ...progressOf(engine, startedAt) });
    // The end of the previous batch, whose answers are on their way, is reported with this run.
    if (this.#completion.answering.size === 0) this.#parts.onChange();
    const result: BatchResult = {
      times: {
        receivedAt: batch.receivedAt,
        preparedFrom: prepared.startedAt,
        preparedUntil: prepared.endedAt,
        runFrom: startedAt,
      },
    };
    try {
      const { images } = prepared;
      const running = images.length === 0 ? noRun : runImages(engine, batch.lane, prepared);
      // While this one runs, the next is fetched and decoded.
      this.#prepareNext();
      const { results, usage } = await running;
      const ranAt = clock.now();
      const build = this.#buildOf(batch)!;
      result.completed = completeTasks(batch, prepared, { results, build, startedAt, ranAt });
      result.usage = usage;
      log.debug({ ...batchIds(batch), ...usage }, "ran");
      result.times.ranAt = ranAt;
    } catch (error) {
      result.error = (error as Error).message;
      result.times.ranAt = clock.now();
      log.error({ ...batchIds(batch), size: batch.tasks.length, reason: result.error }, "a run failed");
    } finally {
      prepared.release();
    }
    const endedAt = clock.now();
    this.#end(batch, result, {
      size: prepared.images.length,
      prepareMs: prepared.endedAt - prepared.startedAt,
      runMs: endedAt - startedAt,
      endedAt,
      crowds: crowdsOf(result.completed ?? []),
    });
  }

  /** The next batch does not wait for the answers of this one. */
  #end(batch: ReceivedBatch, result: BatchResult, measurements: RunMeasurements): void {
    this.#batches.delete(batch);
    void this.#completion.publish(batch, result, measurements).finally(() => this.#onIdle());
    this.#prepareNext();
    this.#runNext();
  }
}

/** `ready`: fetched and decoded, or failed; `order` counts these. */
type Phase =
  | { kind: "staged" }
  | { kind: "preparing" }
  | { kind: "ready"; prepared: PreparedBatch | Error; order: number }
  | Running;

const progressOf = ({ steps }: Engine, steppedAt: number): Progress => ({
  steps,
  steppedAt,
  sinceStep: new Stopwatch(coreWaits.allThreads),
});

/** The last step of a run that was noticed. */
type Progress = { steps: number; steppedAt: number; sinceStep: Stopwatch };
type Running = Progress & { kind: "running"; batch: ReceivedBatch; startedAt: number };

/** Batches that are prepared at the same time. Each has a pixel buffer of its own, as the running one has. */
const preparedBatchesMax = 2;

/**
 * Batches that a worker holds after partitions have moved to it: those of eight workers. Further ones are
 * left to the batcher.
 */
export const heldBatchesMax = 16;

/** The pixel buffers that a worker needs, and the batches whose images it holds. */
export const pixelBuffersMax = preparedBatchesMax + 1;

/** Result of a batch without images. */
const noRun = { results: [], usage: undefined };

type WorkerParts = BatchCompletionParts & {
  engine: Engine;
  prepare: Preparation;
  /** Bytes of images that have come so far. */
  imageBytes(): number;
  log: Log;
  heldBatchesMax: number;
};
