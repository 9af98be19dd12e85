import assert from "node:assert/strict";
import { median, quantile } from "@faceline/contracts/testing/quantile";
import { decide } from "@faceline/batcher/scheduling/decide";
import type { Event, Move, State } from "@faceline/batcher/scheduling/state/state";
import { answered, batchesOf, call, newPool, report } from "@faceline/batcher/testing/fixtures";
import type { Batch } from "@faceline/contracts/wire/batch";
import type { FinishedBatch } from "@faceline/contracts/wire/report";

// How long one decision takes, by event and by number of waiting tasks: four workers, ten tenants, batches of
// 32. Prints a Markdown table of median / mean / p99 in µs. Usage: node tools/simulation/decide.bench.ts

const sizes = [1, 2, 4, 8, 16, 32].map((size) => ({ size, runMs: 40 + 2 * size }));
const workers = 4;
const tenants = 10;
const queues = [100, 1_000, 10_000];
const warmUpRounds = 3_000;
const measuredRounds = 3_000;

const kinds = {
  "a task arrives": (bench: Bench) => bench.arrive(1),
  "a call of 20 arrives": (bench: Bench) => {
    bench.arrive(20);
    bench.untimed(() => bench.cancelNewest());
  },
  "a call is cancelled": (bench: Bench) => {
    bench.untimed(() => bench.arrive(1));
    bench.cancelNewest();
  },
  "a report without news": (bench: Bench) => bench.reportNothing(),
  "a report ends a batch, 32 tasks leave": (bench: Bench) => {
    const left = bench.endBatch();
    bench.untimed(() => {
      bench.reportRunning();
      for (let index = 0; index < left; index++) bench.arrive(1);
    });
  },
  "time passes": (bench: Bench) => bench.handle({ kind: "timer" }),
};

/** A pool in which every worker runs a full batch and `waiting` tasks wait. */
class Bench {
  readonly #pool: State = newPool({ laneWaitingMax: 1_000_000 });
  readonly #running: Batch["id"][] = [];
  readonly #finished: FinishedBatch[][] = [];
  #timing = true;
  #tookUs = 0;
  #calls = 0;
  #worker = 0;

  constructor(waiting: number) {
    for (let worker = 0; worker < workers; worker++) {
      this.#finished.push([]);
      this.#running.push(`batcher-ffffffffffffffff/${worker}` as Batch["id"]);
      this.#worker = worker;
      this.reportRunning();
    }
    for (let index = 0; index < waiting; index++) this.arrive(1);
  }

  /** Returns the time in µs of the decisions that are timed in one round. */
  round(play: (bench: this) => void): number {
    this.#tookUs = 0;
    this.#worker = (this.#worker + 1) % workers;
    play(this);
    return this.#tookUs;
  }

  handle(event: Event): Move[] {
    const startedAt = performance.now();
    const moves = decide(this.#pool, event, 0);
    if (this.#timing) this.#tookUs += 1_000 * (performance.now() - startedAt);
    return moves;
  }

  untimed(act: () => void): void {
    this.#timing = false;
    act();
    this.#timing = true;
  }

  arrive(tasks: number): void {
    const times = { now: 0, deadlineAt: 100_000_000 };
    this.handle(call(`c${this.#calls++}`, tasks, times, `t${this.#calls % tenants}`));
  }

  cancelNewest(): void {
    const { call: newest } = call(`c${this.#calls - 1}`, 1, { now: 0 }).call;
    this.handle({ kind: "cancel", call: newest });
  }

  reportNothing(): void {
    this.reportRunning();
  }

  reportRunning(): void {
    const batch = this.#running[this.#worker]!;
    this.handle(this.#report({ running: { batch, startedAt: 0, endsAt: 1_000 } }));
  }

  /**
   * Ends the running batch and returns the size of the next. Reports repeat the last 16 batches, as real ones
   * do.
   */
  endBatch(): number {
    const finished = this.#finished[this.#worker]!;
    const id = this.#running[this.#worker]!;
    finished.push({ ...answered({ id }), size: 32, prepareMs: 1, runMs: 104 });
    if (finished.length > 16) finished.shift();
    const [next] = batchesOf(this.handle(this.#report({})));
    assert(next !== undefined, "nothing was sent");
    this.#running[this.#worker] = next.id;
    return next.tasks.length;
  }

  #report(fields: Parameters<typeof report>[1]): Event {
    const worker = this.#worker;
    return report(`w${worker}`, {
      sizes,
      partition: worker,
      finished: [...this.#finished[worker]!],
      ...fields,
    });
  }
}

// Every kind runs once before any is measured: else the first would pay for the compiler.
for (const play of Object.values(kinds)) measure(1_000, play);
console.log(`| µs, median / mean / p99 | ${queues.map((waiting) => `${waiting} waiting`).join(" | ")} |`);
console.log(`|---|${queues.map(() => "---|").join("")}`);
for (const [kind, play] of Object.entries(kinds)) {
  console.log(`| ${kind} | ${queues.map((waiting) => measure(waiting, play)).join(" | ")} |`);
}

function measure(waiting: number, play: (bench: Bench) => void): string {
  const bench = new Bench(waiting);
  for (let round = 0; round < warmUpRounds; round++) bench.round(play);
  const tookUs = Array.from({ length: measuredRounds }, () => bench.round(play));
  const mean = tookUs.reduce((sum, each) => sum + each, 0) / tookUs.length;
  return [median(tookUs), mean, quantile(tookUs, 0.99)].map((each) => each.toFixed(1)).join(" / ");
}
