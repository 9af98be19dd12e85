import type { Clock } from "@faceline/contracts/runtime/clock";
import type { Log } from "@faceline/contracts/runtime/log";
import type { Batch, BatchTask } from "@faceline/contracts/wire/batch";
import { type FinishedBatch, finishedBatchesMax, type Report } from "@faceline/contracts/wire/report";
import type { AnswerOutbox, TaskEnd } from "./answer-outbox.ts";
import type { Engine } from "./engine/engine.ts";
import type { Preparation, Prepared } from "./preparation.ts";

/**
 * Takes batches through the engine, one at a time; the next is fetched and decoded meanwhile.
 *
 *     take ──► [ staged ] ──► prepare ──► run ──► answer ──► finished
 *
 * A batch that was taken is named in every report until it has finished, and in some reports after that. One whose
 * run fails finishes as `failed` and without answers: its tasks are the batcher's again.
 */
export class Worker {
  readonly #parts: WorkerParts;
  readonly #staged: Batch[] = [];
  readonly #answering = new Set<Batch>();
  readonly #finished: FinishedBatch[] = [];
  #running: { batch: Batch; startedAt: number } | undefined;
  /** The batch that is fetched and decoded while another runs. */
  #preparing: { batch: Batch; prepared: Promise<Prepared | Error> } | undefined;
  #turning = false;
  #idle: () => void = () => {};
  draining = false;
  partitions: number[] = [];

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  take(batch: Batch): void {
    // Read again after a rebalance: Kafka had not taken the commit.
    if (this.#knows(batch)) return;
    if (this.#staged.length >= this.#parts.heldBatchesMax) {
      this.#parts.log.warn({ batch: batch.id }, "too many batches are held; this one is left to the batcher");
      return;
    }
    this.#staged.push(batch);
    this.#changed();
    this.#prepareNext();
    if (!this.#turning) void this.#turn();
  }

  #knows({ id }: Batch): boolean {
    const held = [
      ...this.#staged,
      ...this.#answering,
      ...(this.#running === undefined ? [] : [this.#running.batch]),
    ];
    return held.some((each) => each.id === id) || this.#finished.some((each) => each.batch === id);
  }

  /** Resolves when everything that was taken has been answered. */
  async drained(): Promise<void> {
    while (this.#turning || this.#answering.size > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
  }

  /** What a report says of this worker. */
  read(): Omit<Report, "worker" | "sequence" | "sentAt"> {
    const running = this.#running;
    return {
      draining: this.draining,
      partitions: this.partitions,
      lanes: this.#parts.engine.lanes,
      running: running === undefined ? null : { ...held(running.batch), ...endOf(running) },
      staged: this.#staged.map(held),
      answering: [...this.#answering].map(held),
      finished: this.#finished,
    };
  }

  async #turn(): Promise<void> {
    this.#turning = true;
    for (let next = this.#prepareNext(); next !== undefined; next = this.#prepareNext()) {
      const prepared = await next.prepared;
      this.#staged.shift();
      this.#preparing = undefined;
      await this.#run(next.batch, prepared);
    }
    this.#turning = false;
    this.#idle();
  }

  /** Prepares the batch that is next in line, unless that is under way. */
  #prepareNext(): { batch: Batch; prepared: Promise<Prepared | Error> } | undefined {
    const batch = this.#staged[0];
    if (batch === undefined) return undefined;
    if (this.#preparing?.batch !== batch) {
      const prepared = this.#parts.prepare(batch).catch((error: Error) => error);
      this.#preparing = { batch, prepared };
    }
    return this.#preparing;
  }

  async #run(batch: Batch, prepared: Prepared | Error): Promise<void> {
    const { clock, engine, log } = this.#parts;
    const startedAt = clock.now();
    if (prepared instanceof Error) {
      log.error({ batch: batch.id, reason: prepared.message }, "a batch could not be prepared");
      void this.#answer(batch, undefined, { size: 0, prepareMs: 0, runMs: 0, endedAt: startedAt });
      return;
    }
    this.#running = { batch, startedAt };
    this.#changed();
    let ends: TaskEnd[] | undefined;
    try {
      const { pictures } = prepared;
      const run = pictures.length === 0 ? [] : engine.run({ lane: batch.lane, pictures });
      // While this one runs, the next is fetched and decoded.
      this.#prepareNext();
      const outcomes = await run;
      const inferMs = clock.now() - startedAt;
      const timing = (task: BatchTask) => ({
        queueMs: Math.max(0, batch.sentAt - task.arrivedAt),
        batchMs: Math.max(0, startedAt - batch.sentAt),
        inferMs,
      });
      ends = prepared.ends.map(({ task, outcome }) => ({ task, outcome, timing: timing(task) }));
      for (const [index, outcome] of outcomes.entries()) {
        const task = prepared.pictured[index]!;
        ends.push({ task, outcome, timing: timing(task) });
      }
    } catch (error) {
      log.error(
        { batch: batch.id, size: batch.tasks.length, reason: (error as Error).message },
        "a run failed",
      );
    } finally {
      prepared.release();
    }
    const endedAt = clock.now();
    this.#running = undefined;
    const size = prepared.pictures.length;
    void this.#answer(batch, ends, { size, prepareMs: prepared.tookMs, runMs: endedAt - startedAt, endedAt });
  }

  /** The next batch does not wait for these answers. */
  async #answer(batch: Batch, ends: TaskEnd[] | undefined, figures: Figures): Promise<void> {
    this.#answering.add(batch);
    if (ends !== undefined) await this.#parts.answers.send(ends);
    this.#answering.delete(batch);
    const end = ends === undefined ? "failed" : "answered";
    this.#finished.push({ batch: batch.id, lane: batch.lane, end, ...figures });
    if (this.#finished.length > finishedBatchesMax) this.#finished.shift();
    this.#changed();
    this.#idle();
  }

  #changed(): void {
    this.#parts.changed();
  }
}

const held = (batch: Batch): Report["staged"][number] => ({
  batch: batch.id,
  lane: batch.lane,
  tasks: batch.tasks.map((task) => task.id),
});

const endOf = ({ batch, startedAt }: { batch: Batch; startedAt: number }) => ({
  startedAt,
  endsAt: startedAt + batch.predictedRunMs,
});

type Figures = Pick<FinishedBatch, "size" | "prepareMs" | "runMs" | "endedAt">;

export type WorkerParts = {
  clock: Clock;
  engine: Engine;
  prepare: Preparation;
  answers: AnswerOutbox;
  log: Log;
  heldBatchesMax: number;
  /** Called whenever a report would say something new. */
  changed(): void;
};
