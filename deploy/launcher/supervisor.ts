import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Child, type Program, repairMs } from "./child.ts";
import { LogFile } from "./log-file.ts";
import type { ProcessRecord } from "./process-record.ts";

/** Keeps one program running: starts it, restarts it with back-off when it dies, and stops it. */
export class Supervisor {
  readonly name: string;
  readonly #program: Program;
  readonly #options: SupervisorOptions;
  readonly #log: LogFile;
  readonly #stopping = new AbortController();
  #child: Child | undefined;
  #monitor: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;

  constructor(program: Program, options: SupervisorOptions) {
    this.name = program.name;
    this.#program = program;
    this.#options = options;
    this.#log = new LogFile(join(options.logs, `${program.name}.log`));
  }

  get pid(): number | undefined {
    return this.#child?.running === true ? this.#child.pid : undefined;
  }

  /** Resolves when the program is ready. The first start is not retried: its failure is thrown. */
  async start(): Promise<void> {
    const child = this.#spawn();
    await child.ready(this.#options.readyWithinMs, this.#options.stop);
    this.#monitor = this.#keepRunning();
  }

  lastOutput(): string {
    return this.#child?.lastOutput() ?? "It was not started.";
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
    const result = await this.#child?.stop(this.#options.stopWithinMs, this.#options.force);
    if (result === "killed") this.#options.print(`${this.name} did not stop in time and was killed`);
    await this.#monitor;
    this.#log[Symbol.dispose]();
  }

  #spawn(): Child {
    const child = new Child(this.#program, (line) => {
      this.#log.write(line);
      this.#options.onOutput?.(this.name, line);
    });
    this.#child = child;
    if (child.repairs) {
      const text = "was not stopped cleanly and checks its data first, which may take";
      this.#options.print(`${this.name} ${text} ${repairMs / 60_000} minutes`);
    }
    const { pid } = child;
    if (pid !== undefined) {
      this.#options.record?.started(this.name, pid);
      void child.ended.then(() => this.#options.record?.ended(pid));
    }
    return child;
  }

  async #keepRunning(): Promise<void> {
    const { signal } = this.#stopping;
    let failures = 0;
    for (;;) {
      const { cause, ranMs } = await this.#child!.ended;
      if (signal.aborted) return;
      const next = nextRestart(failures, ranMs, this.#options.restart);
      failures = next.failures;
      this.#options.print(`${this.name} ${cause}; it starts again in ${next.afterMs} ms`);
      // Rejects only when the signal aborts, which the next line handles.
      await sleep(next.afterMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;

      const child = this.#spawn();
      try {
        await child.ready(this.#options.readyWithinMs, signal);
        this.#options.print(`${this.name} is back`);
      } catch (fault) {
        if (signal.aborted) return;
        this.#options.print((fault as Error).message);
        child.kill("SIGKILL");
      }
    }
  }
}

/**
 * Returns when a process that died is started again: after `firstMs` the first time, then after twice as long
 * each time up to `maxMs`, so that a process that cannot live does not use up the machine. After a run of
 * `forgetMs` the count of failures starts again.
 */
export function nextRestart(failures: number, ranMs: number, limits: RestartLimits): Restart {
  const before = ranMs >= limits.forgetMs ? 0 : failures;
  return { failures: before + 1, afterMs: Math.min(limits.maxMs, limits.firstMs * 2 ** before) };
}

type RestartLimits = { firstMs: number; maxMs: number; forgetMs: number };

/** `failures` is the first argument of the next call. */
type Restart = { failures: number; afterMs: number };

/** Limits, outputs and signals, shared by all supervisors of a launch. */
export type SupervisorOptions = {
  /** Folder of the log files. */
  logs: string;
  readyWithinMs: number;
  stopWithinMs: number;
  restart: RestartLimits;
  /** Receives deaths, restarts and kills. */
  print(line: string): void;
  /** Receives each line that a process prints, beside its log file. */
  onOutput?: (name: string, line: string) => void;
  record?: ProcessRecord;
  /** Aborts when the launch must stop: waits for readiness end. */
  stop: AbortSignal;
  /** Aborts when the launch is to stop at once: processes that still run are killed. */
  force: AbortSignal;
};
