import type { Batch, BatchTask } from "@faceline/contracts/wire/batch";
import type { FinishedBatch, LoadedLane, Report } from "@faceline/contracts/wire/report";
import { finishedBatchesMax } from "@faceline/contracts/wire/report";
import type { Random } from "../testing/random.ts";
import type { EventQueue } from "./event-queue.ts";

/**
 * A worker as the inference service is one, but that its runs are waits:
 *
 *     take ──► [ staged ] ──► prepare ──► run ──► answer ──► finished
 *
 * One batch is prepared at a time and one runs. It reports on every change and every 250 ms.
 */
export class SimulatedWorker {
  readonly model: WorkerModel;
  readonly #id: string;
  readonly #scene: WorkerEnvironment;
  readonly #lanes: LoadedLane[];
  #sequence = 0;
  #staged: Batch[] = [];
  #preparing: Batch | undefined;
  #prepared: Prepared | undefined;
  #running: { batch: Batch; startedAt: number } | undefined;
  readonly #answering = new Set<Batch>();
  readonly #finished: FinishedBatch[] = [];
  #dead = false;

  constructor(id: string, model: WorkerModel, scene: WorkerEnvironment) {
    this.#id = id;
    this.model = model;
    this.#scene = scene;
    this.#lanes = [model, ...(model.otherLanes ?? [])].map((each) => warmedUp(each, model.warmUpFactor));
    this.#report();
    this.#reportRegularly();
  }

  take(batch: Batch): void {
    this.#staged.push(batch);
    this.#report();
    this.#prepareNext();
  }

  /** What it holds is gone with it. */
  die(): void {
    this.#dead = true;
  }

  #prepareNext(): void {
    const batch = this.#staged[0];
    if (batch === undefined || this.#preparing !== undefined) return;
    this.#preparing = batch;
    const { agenda, random } = this.#scene;
    const listened = batch.tasks.filter((task) => task.deadlineAt > agenda.now);
    const { alpha, beta, noise = 0 } = this.#modelOf(batch).prepare;
    const tookMs = Math.max(0, random.normal(1, noise) * (alpha + beta * listened.length));
    this.#later(tookMs, () => {
      this.#prepared = { batch, listened, tookMs };
      this.#runNext();
    });
  }

  #runNext(): void {
    const prepared = this.#prepared;
    if (prepared === undefined || this.#running !== undefined) return;
    const { batch, listened, tookMs } = prepared;
    const { agenda } = this.#scene;
    this.#prepared = undefined;
    this.#preparing = undefined;
    this.#staged.shift();
    const startedAt = agenda.now;
    this.#running = { batch, startedAt };
    this.#report();
    this.#prepareNext();
    const end = this.#scene.runOf(listened);
    this.#later(listened.length === 0 ? 0 : this.#runMs(batch, listened.length), () => {
      this.#running = undefined;
      if (end === "killed") return this.#scene.killed(this);
      const figures = { size: listened.length, prepareMs: tookMs, runMs: agenda.now - startedAt };
      this.#answer(batch, end, listened, { ...figures, endedAt: agenda.now });
      this.#runNext();
    });
  }

  #runMs(batch: Batch, tasks: number): number {
    const { alpha, beta, sizes } = this.#modelOf(batch);
    const { noise, slowdownAt = () => 1 } = this.model;
    const size = sizes.find((each) => each >= tasks)!;
    const { random, agenda } = this.#scene;
    return Math.max(0.1, random.normal(1, noise)) * slowdownAt(agenda.now) * (alpha + beta * size);
  }

  #modelOf({ lane }: Batch): LaneModel {
    return this.model.otherLanes?.find((each) => each.lane === lane) ?? this.model;
  }

  /** A run that failed has no answers: its tasks are the scheduler's again. */
  #answer(batch: Batch, end: "answered" | "failed", listened: BatchTask[], figures: Figures): void {
    this.#answering.add(batch);
    if (end === "answered") this.#scene.answer(batch, listened);
    // The report waits until the answers are laid; the next run does not.
    this.#later(this.#scene.replyMs(), () => {
      this.#answering.delete(batch);
      this.#finished.push({ batch: batch.id, lane: batch.lane, end, ...figures });
      if (this.#finished.length > finishedBatchesMax) this.#finished.shift();
      this.#report();
    });
  }

  #later(ms: number, act: () => void): void {
    this.#scene.agenda.after(ms + this.#stallMs(ms), () => {
      if (!this.#dead) act();
    });
  }

  /** While a worker stalls nothing in it goes on; its messages still arrive. */
  #stallMs(ms: number): number {
    const { now } = this.#scene.agenda;
    const stall = this.model.stalls?.find((each) => each.atMs < now + ms && each.atMs + each.ms > now);
    return stall === undefined ? 0 : stall.atMs + stall.ms - Math.max(now, stall.atMs);
  }

  #reportRegularly(): void {
    this.#later(reportEveryMs, () => {
      this.#report();
      this.#reportRegularly();
    });
  }

  #report(): void {
    const running = this.#running;
    this.#scene.report({
      worker: this.#id,
      sequence: this.#sequence++,
      sentAt: this.#scene.agenda.now,
      draining: false,
      partitions: [this.model.partition],
      lanes: this.#lanes,
      running:
        running === undefined
          ? null
          : {
              ...heldOf(running.batch),
              startedAt: running.startedAt,
              endsAt: running.startedAt + running.batch.predictedRunMs,
            },
      staged: this.#staged.map(heldOf),
      answering: [...this.#answering].map(heldOf),
      finished: [...this.#finished],
    });
  }
}

const reportEveryMs = 250;

const warmedUp = ({ lane, sizes, alpha, beta }: LaneModel, warmUpFactor: number): LoadedLane => ({
  lane,
  executionProvider: "model",
  precisions: [],
  sizes: sizes.map((size) => ({ size, runMs: warmUpFactor * (alpha + beta * size) })),
});

const heldOf = (batch: Batch): Report["staged"][number] => ({
  batch: batch.id,
  lane: batch.lane,
  tasks: batch.tasks.map((task) => task.id),
});

export type LaneModel = {
  lane: Report["lanes"][number]["lane"];
  /** A run of a batch takes `alpha + beta · size` ms, the size being the least of `sizes` that holds it. */
  alpha: number;
  beta: number;
  sizes: number[];
  /** Fetch and decode. */
  prepare: { alpha: number; beta: number; noise?: number };
};

export type WorkerModel = LaneModel & {
  partition: number;
  /** Loaded beside the first. */
  otherLanes?: LaneModel[];
  /** Deviation of a run's time, as a share of it. */
  noise: number;
  /** What its warm-up said of its times was this much of the truth. */
  warmUpFactor: number;
  /** Slower or faster from some time on. */
  slowdownAt?: (nowMs: number) => number;
  stalls?: { atMs: number; ms: number }[];
  /** It dies at these instants; another process takes its place when it has started and warmed up. */
  deaths?: { atMs: number }[];
  coldStartMs: number;
};

/** What a worker's surroundings do for it. */
export type WorkerEnvironment = {
  agenda: EventQueue;
  random: Random;
  replyMs(): number;
  report(report: Report): void;
  /** Those that were not run were too late already. */
  answer(batch: Batch, ran: BatchTask[]): void;
  /** How a run of these tasks ends. */
  runOf(tasks: BatchTask[]): "answered" | "failed" | "killed";
  killed(worker: SimulatedWorker): void;
};

type Prepared = { batch: Batch; listened: BatchTask[]; tookMs: number };
type Figures = Pick<FinishedBatch, "size" | "prepareMs" | "runMs" | "endedAt">;
