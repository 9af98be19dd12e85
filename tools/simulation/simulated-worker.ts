// Used by simulation.ts. It behaves as inference/src/worker.ts does, whose tests describe the order of steps.
import type { Batch, BatchTask } from "@faceline/contracts/wire/batch";
import type { FinishedBatch, LoadedLane, Report } from "@faceline/contracts/wire/report";
import { finishedBatchesMax } from "@faceline/contracts/wire/report";
import type { EventQueue } from "./event-queue.ts";
import type { Random } from "./random.ts";
import { builtAs, type LaneModel, type WorkerModel, type WorkerWork, warmedUp } from "./worker-model.ts";

/**
 * A worker of the inference service whose runs only take time:
 *
 *     receive ──► [ staged ] ──► prepare ──► run ──► answer ──► finished
 *
 * Two batches are prepared side by side and one runs, the one that was ready first. The worker reports when a
 * run begins or a batch has ended, and every 250 ms.
 */
export class SimulatedWorker {
  readonly model: WorkerModel;
  readonly #id: string;
  readonly #environment: WorkerEnvironment;
  readonly #lanes: LoadedLane[];
  readonly #work: WorkerWork | undefined;
  #sequence = 0;
  #staged: Batch[] = [];
  readonly #receivedAt = new Map<Batch, number>();
  readonly #preparing = new Set<Batch>();
  readonly #ready: Prepared[] = [];
  #running: { batch: Batch; startedAt: number } | undefined;
  readonly #answering = new Set<Batch>();
  /** Entries of its reports for the batches that it has. */
  readonly #held = new Map<Batch, Report["staged"][number]>();
  readonly #finished: FinishedBatch[] = [];
  /** The results of a run are taken out, and the next one has not begun. */
  #betweenRuns = false;
  #dead = false;

  constructor(id: string, model: WorkerModel, environment: WorkerEnvironment) {
    this.#id = id;
    this.model = model;
    this.#environment = environment;
    this.#work = model.openWork?.(environment);
    this.#lanes = [model, ...(model.otherLanes ?? [])].map((each) => warmedUp(each, model.warmUpFactor));
    this.#report();
    this.#reportRegularly();
  }

  receive(batch: Batch): void {
    if (batch.digest !== builtAs(this.#modelOf(batch)).digest) {
      const measured = { size: 0, prepareMs: 0, runMs: 0, endedAt: this.#environment.events.now };
      this.#finished.push({ batch: batch.id, lane: batch.lane, end: "refused", crowds: [], ...measured });
      this.#report();
      return;
    }
    this.#staged.push(batch);
    this.#receivedAt.set(batch, this.#environment.events.now);
    this.#held.set(batch, heldOf(batch, this.#environment.events.now));
    this.#prepareNext();
  }

  /** Everything that it holds is lost. */
  die(): void {
    this.#dead = true;
  }

  #prepareNext(): void {
    for (const batch of this.#staged) {
      if (this.#preparing.size >= preparedMax) return;
      if (!this.#preparing.has(batch)) this.#prepare(batch);
    }
  }

  #prepare(batch: Batch): void {
    this.#preparing.add(batch);
    const { events, random } = this.#environment;
    const tasks = batch.tasks.filter((task) => task.deadlineAt > events.now);
    if (this.#environment.isPreparationEndless(tasks)) {
      return this.#later(decodeStallMs, () => this.#environment.killed());
    }
    const startedAt = events.now;
    const end = () => {
      this.#ready.push({ batch, tasks, prepareMs: events.now - startedAt });
      this.#runNext();
    };
    if (this.#work !== undefined) return this.#work.prepare(tasks, this.#unlessDead(end));
    const { alpha, beta, noise = 0 } = this.#modelOf(batch).prepare;
    const cost = tasks.reduce((sum, task) => sum + task.cost, 0);
    this.#later(Math.max(0, random.normal(1, noise) * (alpha + beta * cost)), end);
  }

  #runNext(): void {
    if (this.#running !== undefined || this.#betweenRuns) return;
    const prepared = this.#ready.shift();
    if (prepared === undefined) return;
    const { batch, tasks, prepareMs } = prepared;
    const { events } = this.#environment;
    this.#staged.splice(this.#staged.indexOf(batch), 1);
    this.#preparing.delete(batch);
    const startedAt = events.now;
    this.#running = { batch, startedAt };
    if (this.#answering.size === 0) this.#report();
    this.#prepareNext();
    const result = this.#environment.runOf(tasks);
    const end = () => {
      this.#running = undefined;
      this.#environment.runEnded?.(tasks.length, { prepareMs, runMs: events.now - startedAt });
      if (result === "killed") return this.#environment.killed();
      const measured = { size: tasks.length, prepareMs, runMs: events.now - startedAt };
      this.#answer(batch, result, tasks, { ...measured, endedAt: events.now });
      if (this.#work === undefined) return this.#runNext();
      this.#betweenRuns = true;
      const next = () => {
        this.#betweenRuns = false;
        this.#runNext();
      };
      this.#work.turnAround(this.#unlessDead(next));
    };
    const { sizes } = this.#modelOf(batch);
    if (tasks.length === 0) this.#later(0, end);
    else if (this.#work === undefined) this.#later(this.#runMs(batch, tasks.length), end);
    else this.#work.run(batch.lane, sizes.find((each) => each >= tasks.length)!, this.#unlessDead(end));
  }

  #runMs(batch: Batch, tasks: number): number {
    const { alpha, beta, sizes } = this.#modelOf(batch);
    const { noise, slowdownAt = () => 1 } = this.model;
    const size = sizes.find((each) => each >= tasks)!;
    const { random, events } = this.#environment;
    return Math.max(0.1, random.normal(1, noise)) * slowdownAt(events.now) * (alpha + beta * size);
  }

  #modelOf({ lane }: Batch): LaneModel {
    return this.model.otherLanes?.find((each) => each.lane === lane) ?? this.model;
  }

  /** A run that failed has no answers: its tasks go back to the scheduler. */
  #answer(batch: Batch, result: "answered" | "failed", tasks: BatchTask[], measured: Measured): void {
    this.#answering.add(batch);
    const { prepareMs, runMs, endedAt } = measured;
    const behindOthersMs = endedAt - runMs - prepareMs - this.#receivedAt.get(batch)!;
    if (result === "answered") this.#environment.answer(batch, tasks, { behindOthersMs, prepareMs, runMs });
    // The report waits until the answers are published; the next run does not.
    this.#later(this.#environment.replyMs(), () => {
      this.#answering.delete(batch);
      this.#held.delete(batch);
      this.#receivedAt.delete(batch);
      this.#finished.push({ batch: batch.id, lane: batch.lane, end: result, crowds: [], ...measured });
      if (this.#finished.length > finishedBatchesMax) this.#finished.shift();
      this.#report();
    });
  }

  #later(ms: number, act: () => void): void {
    this.#environment.events.after(ms + this.#stallMs(ms), this.#unlessDead(act));
  }

  #unlessDead(act: () => void): () => void {
    return () => {
      if (!this.#dead) act();
    };
  }

  /** While a worker stalls it does nothing; messages that it sent before still arrive. */
  #stallMs(ms: number): number {
    const { now } = this.#environment.events;
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
    this.#environment.report({
      worker: this.#id,
      sequence: this.#sequence++,
      sentAt: this.#environment.events.now,
      draining: false,
      partitions: [this.model.partition],
      lanes: this.#lanes,
      running:
        running === undefined
          ? null
          : {
              ...this.#held.get(running.batch)!,
              startedAt: running.startedAt,
              endsAt: running.startedAt + running.batch.predictedRunMs,
            },
      staged: this.#staged.map((batch) => this.#held.get(batch)!),
      answering: [...this.#answering].map((batch) => this.#held.get(batch)!),
      imageBytes: 0,
      finished: [...this.#finished],
    });
  }
}

const reportEveryMs = 250;
/** The limit of inference/src/worker.ts. */
const preparedMax = 2;
/** A worker ends itself when none of a batch's decodes ends for 1.5 times `decodeMaxMs`. */
const decodeStallMs = 15_000;

const heldOf = (batch: Batch, receivedAt: number): Report["staged"][number] => ({
  batch: batch.id,
  lane: batch.lane,
  tasks: batch.tasks.map((task) => task.id),
  attempt: batch.attempt,
  receivedAt,
});

/** Services of the simulation for a worker. */
type WorkerEnvironment = {
  events: EventQueue;
  random: Random;
  replyMs(): number;
  report(report: Report): void;
  /** `tasksRun` are those that ran; the others were past their deadline. */
  answer(batch: Batch, tasksRun: BatchTask[], times: WorkerTimes): void;
  /** Whether the decoder hangs over one of these tasks. */
  isPreparationEndless(tasks: BatchTask[]): boolean;
  /** How a run of these tasks ends. */
  runOf(tasks: BatchTask[]): "answered" | "failed" | "killed";
  runEnded?(tasks: number, times: BatchTimes): void;
  killed(): void;
};

/** Times of a batch in a worker; `behindOthersMs`: its waits before its preparation and before its run. */
export type WorkerTimes = { behindOthersMs: number; prepareMs: number; runMs: number };

type Prepared = { batch: Batch; tasks: BatchTask[]; prepareMs: number };
type Measured = Pick<FinishedBatch, "size" | "prepareMs" | "runMs" | "endedAt">;
/** Times of a batch that has run. `prepareMs`: fetching and decoding. */
export type BatchTimes = { prepareMs: number; runMs: number };
