import type { EventQueue } from "./event-queue.ts";

/**
 * Cores of a machine that jobs share in equal parts (processor sharing). A job has one thread: alone it takes
 * its CPU time. Beside others all go on at the same pace, which is lower as soon as there are more jobs than
 * cores, and by what jobs on other cores cost each other: memory, caches, hyper-threads.
 */
export class SharedCores {
  readonly #events: EventQueue;
  readonly #cores: number;
  readonly #slowdown: readonly number[];
  /** CPU time that a job would have got which was there from the beginning, in ms. */
  #progress = 0;
  #progressAt: number;
  /** By the progress at which they end, the first one last. */
  readonly #jobs: { endsAt: number; done: () => void }[] = [];
  /** Counts changes: an end that was foreseen before the last one is void. */
  #version = 0;

  /** `slowdown[n - 1]`: how many times as long jobs take while n of them run. The last one holds for more. */
  constructor(events: EventQueue, { cores, slowdown }: { cores: number; slowdown: readonly number[] }) {
    this.#events = events;
    this.#cores = cores;
    this.#slowdown = slowdown;
    this.#progressAt = events.now;
  }

  get active(): number {
    return this.#jobs.length;
  }

  /** Runs `done` once the job has got its CPU time. */
  run(cpuMs: number, done: () => void): void {
    if (cpuMs <= 0) return this.#events.after(0, done);
    this.#advance();
    const job = { endsAt: this.#progress + Math.max(0, cpuMs), done };
    let index = this.#jobs.length;
    while (index > 0 && this.#jobs[index - 1]!.endsAt <= job.endsAt) index--;
    this.#jobs.splice(index, 0, job);
    this.#foreseeNext();
  }

  #advance(): void {
    const { now } = this.#events;
    if (this.#jobs.length > 0) this.#progress += (now - this.#progressAt) / this.#stretch();
    this.#progressAt = now;
  }

  /** How many times as long as alone every job takes now. */
  #stretch(): number {
    const count = this.#jobs.length;
    const measured = this.#slowdown.length;
    const crowd = Math.max(1, count / Math.max(this.#cores, measured));
    return this.#slowdown[Math.min(count, measured) - 1]! * crowd;
  }

  #foreseeNext(): void {
    const version = ++this.#version;
    const next = this.#jobs.at(-1);
    if (next === undefined) return;
    this.#events.after((next.endsAt - this.#progress) * this.#stretch(), () => {
      if (version !== this.#version) return;
      this.#advance();
      this.#jobs.pop();
      this.#foreseeNext();
      next.done();
    });
  }
}
