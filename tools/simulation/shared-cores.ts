import type { EventQueue } from "./event-queue.ts";

/**
 * Cores of a machine that jobs share. A job has one thread: alone it takes its CPU time. All go on more
 * slowly by what jobs on other cores cost each other: memory, caches, hyper-threads.
 *
 * Brief jobs run first, as under the schedulers of Linux: a thread that has just woken up takes a core from
 * one that has computed for a while. Long jobs share the cores that are left in equal parts (processor
 * sharing), and so do brief ones where they are more than the cores.
 */
export class SharedCores {
  readonly #events: EventQueue;
  readonly #cores: number;
  readonly #slowdown: readonly number[];
  readonly #brief: JobClass = { progress: 0, jobs: [] };
  readonly #long: JobClass = { progress: 0, jobs: [] };
  #progressAt: number;
  /** Counts changes: an end that was foreseen before the last one is void. */
  #version = 0;

  /** `slowdown[n - 1]`: how many times as long jobs take while n of them run. The last one holds for more. */
  constructor(events: EventQueue, { cores, slowdown }: { cores: number; slowdown: readonly number[] }) {
    this.#events = events;
    this.#cores = Math.max(cores, slowdown.length);
    this.#slowdown = slowdown;
    this.#progressAt = events.now;
  }

  get active(): number {
    return this.#brief.jobs.length + this.#long.jobs.length;
  }

  /** Runs `done` once the job has got its CPU time. */
  run(cpuMs: number, done: () => void, { isBrief = false }: { isBrief?: boolean } = {}): void {
    if (cpuMs <= 0) return this.#events.after(0, done);
    this.#advance();
    const { progress, jobs } = isBrief ? this.#brief : this.#long;
    const job = { endsAt: progress + cpuMs, done };
    let index = jobs.length;
    while (index > 0 && jobs[index - 1]!.endsAt <= job.endsAt) index--;
    jobs.splice(index, 0, job);
    this.#foreseeNext();
  }

  #advance(): void {
    const { now } = this.#events;
    const passedMs = now - this.#progressAt;
    if (passedMs > 0 && this.active > 0) {
      const { brief, long } = this.#paces();
      this.#brief.progress += brief * passedMs;
      this.#long.progress += long * passedMs;
    }
    this.#progressAt = now;
  }

  /** CPU time that a job of each class gets in a ms now. */
  #paces(): { brief: number; long: number } {
    const brief = this.#brief.jobs.length;
    const long = this.#long.jobs.length;
    const slowdown = this.#slowdown[Math.min(brief + long, this.#slowdown.length) - 1]!;
    const part = (cores: number, jobs: number) => (jobs === 0 ? 0 : Math.min(1, cores / jobs) / slowdown);
    return { brief: part(this.#cores, brief), long: part(Math.max(0, this.#cores - brief), long) };
  }

  #foreseeNext(): void {
    const version = ++this.#version;
    if (this.active === 0) return;
    const paces = this.#paces();
    const brief = msUntilNext(this.#brief, paces.brief);
    const long = msUntilNext(this.#long, paces.long);
    const jobClass = brief <= long ? this.#brief : this.#long;
    this.#events.after(Math.min(brief, long), () => {
      if (version !== this.#version) return;
      this.#advance();
      const { done } = jobClass.jobs.pop()!;
      this.#foreseeNext();
      done();
    });
  }
}

function msUntilNext({ progress, jobs }: JobClass, pace: number): number {
  const next = jobs.at(-1);
  return next === undefined || pace === 0 ? Number.POSITIVE_INFINITY : (next.endsAt - progress) / pace;
}

type JobClass = {
  /** CPU time that a job of the class would have got which was there from the beginning, in ms. */
  progress: number;
  /** Jobs by the progress at which they end, the first one last. */
  readonly jobs: { endsAt: number; done: () => void }[];
};
