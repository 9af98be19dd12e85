import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type RestartLimits, restart } from "./backoff.ts";
import { Child, type Program } from "./child.ts";
import { LogFile } from "./log-file.ts";
import type { ProcessRecord } from "./process-record.ts";

/** Keeps one program running: starts it, starts it again when it dies, and stops it. */
export class Supervisor {
  readonly name: string;
  readonly #program: Program;
  readonly #watch: Watch;
  readonly #log: LogFile;
  readonly #stopping = new AbortController();
  #child: Child | undefined;
  #watching: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;

  constructor(program: Program, watch: Watch) {
    this.name = program.name;
    this.#program = program;
    this.#watch = watch;
    this.#log = new LogFile(join(watch.logs, `${program.name}.log`));
  }

  get pid(): number | undefined {
    return this.#child?.running === true ? this.#child.pid : undefined;
  }

  /** Resolves when it is in service. A program that does not come up the first time is a fault, and not retried. */
  async start(): Promise<void> {
    const child = this.#begin();
    await child.ready(this.#watch.readyWithinMs, this.#watch.stop);
    this.#watching = this.#keep();
  }

  lastWords(): string {
    return this.#child?.lastWords() ?? "It was not started.";
  }

  kill(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    const how = await this.#child?.stop(this.#watch.stopWithinMs, this.#watch.force);
    if (how === "killed") this.#watch.say(`${this.name} did not stop in time and was killed`);
    await this.#watching;
    this.#log[Symbol.dispose]();
  }

  #begin(): Child {
    const child = new Child(this.#program, (line) => {
      this.#log.write(line);
      this.#watch.heard(this.name, line);
    });
    this.#child = child;
    const { pid } = child;
    if (pid !== undefined) {
      this.#watch.record?.started(this.name, pid);
      void child.ended.then(() => this.#watch.record?.ended(pid));
    }
    return child;
  }

  async #keep(): Promise<void> {
    const { signal } = this.#stopping;
    let failures = 0;
    for (;;) {
      const { how, ranMs } = await this.#child!.ended;
      if (signal.aborted) return;
      const next = restart(failures, ranMs, this.#watch.restart);
      failures = next.failures;
      this.#watch.say(`${this.name} ${how}; it starts again in ${next.afterMs} ms`);
      await sleep(next.afterMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;

      const child = this.#begin();
      try {
        await child.ready(this.#watch.readyWithinMs, signal);
        this.#watch.say(`${this.name} is back`);
      } catch (fault) {
        if (signal.aborted) return;
        this.#watch.say((fault as Error).message);
        child.kill("SIGKILL");
      }
    }
  }
}

/** What supervisors share: their limits, and where they tell what happens. */
export type Watch = {
  /** The folder of the log files. */
  logs: string;
  readyWithinMs: number;
  stopWithinMs: number;
  restart: RestartLimits;
  /** For what happens to processes. */
  say(line: string): void;
  /** For what the processes print. */
  heard(name: string, line: string): void;
  record?: ProcessRecord;
  /** Aborts when the launch is to stop: nothing is waited for any more. */
  stop: AbortSignal;
  /** Aborts when somebody is in a hurry: what still runs is killed. */
  force: AbortSignal;
};
