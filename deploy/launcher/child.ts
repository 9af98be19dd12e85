import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { coreWaits, HangTimeout } from "@faceline/runtime/starvation";
import { isInformation } from "./log-line.ts";
import { groupWithLifeline, lifelineStdio, releaseLifeline } from "./lifeline.ts";

/**
 * One process, from its start to its end. It leads a process group of its own: Ctrl-C at the terminal reaches
 * the launcher alone, which stops the processes in their order. If the launcher is killed, the process is
 * ended too.
 */
export class Child {
  readonly name: string;
  readonly pid: number | undefined;
  readonly ended: Promise<ChildEnd>;
  /** See `Program.repairs`. */
  readonly repairs: boolean;
  readonly #process: ChildProcess;
  readonly #readyMessage: Promise<void>;
  readonly #program: Program;
  readonly #lastLines: string[] = [];
  #running = true;

  constructor(program: Program, onLine: (line: string) => void) {
    const startedAt = performance.now();
    this.name = program.name;
    this.#program = program;
    this.repairs = program.repairs?.() ?? false;
    this.#process = spawn("/bin/sh", ["-c", shellCode, "sh", program.command, ...program.args], {
      detached: true,
      stdio: [...lifelineStdio, ...(program.ready === "message" ? (["ipc"] as const) : [])],
      env: program.env,
    });
    releaseLifeline(this.#process);
    this.pid = this.#process.pid;

    const end = Promise.withResolvers<ChildEnd>();
    const finish = (cause: string) => {
      this.#running = false;
      end.resolve({ cause, ranMs: performance.now() - startedAt });
    };
    this.#process.on("error", (error) => finish(`could not be started: ${error.message}`));
    this.#process.on("exit", (code, signal) => {
      const cause = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      // Its last output may still be in the pipe. A grandchild may hold the pipe open, so the wait is
      // bounded.
      const timer = setTimeout(() => finish(cause), outputDrainMs);
      this.#process.once("close", () => {
        clearTimeout(timer);
        finish(cause);
      });
    });
    this.ended = end.promise;

    const ready = Promise.withResolvers<void>();
    this.#process.on("message", (message: { kind?: unknown }) => {
      if (message.kind === "ready") ready.resolve();
    });
    this.#readyMessage = ready.promise;

    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      createInterface({ input: stream!, crlfDelay: Infinity }).on("line", (line) => {
        // What went well does not say why a process ends.
        if (!isInformation(line)) this.#lastLines.push(line);
        if (this.#lastLines.length > lastLinesMax) this.#lastLines.shift();
        onLine(line);
      });
    }
  }

  get running(): boolean {
    return this.#running;
  }

  /**
   * Resolves when the process is ready. Throws a sentence with its last output when it ends or takes too
   * long.
   */
  async ready(readyWithinMs: number, stop: AbortSignal): Promise<void> {
    stop.throwIfAborted();
    const withinMs = readyWithinMs + (this.repairs ? repairMs : 0);
    const done = new AbortController();
    const signal = AbortSignal.any([done.signal, stop]);
    const { promise: late, resolve } = Promise.withResolvers<string>();
    // In which the process could run: beside many others that start, each has little of the time.
    using _timeout = new HangTimeout(
      withinMs,
      () => resolve(`was not ready within ${withinMs} ms (READY_WITHIN_MS)`),
      () => coreWaits.allThreads(this.pid),
    );
    try {
      const fault = await Promise.race([
        this.#untilReady(signal),
        this.ended.then(({ cause }) => cause),
        late,
        once(signal, "abort").then(() => stop.throwIfAborted()),
      ]);
      if (fault !== undefined) throw new Error(`${this.name} ${fault}. ${this.lastOutput()}`);
    } finally {
      done.abort();
    }
  }

  async #untilReady(signal: AbortSignal): Promise<undefined> {
    if (this.#program.ready === "message") await this.#readyMessage;
    else while (!(await this.#program.ready())) await sleep(probeEveryMs, undefined, { signal });
    return undefined;
  }

  /** The last lines that the process printed, for a message that says why it ended. */
  lastOutput(): string {
    return this.#lastLines.length === 0
      ? "It printed nothing."
      : `Its last lines:\n${this.#lastLines.map((line) => `  ${line}`).join("\n")}`;
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Sends SIGTERM and waits. Sends SIGKILL after `withinMs`, or when `force` aborts. */
  async stop(withinMs: number, force: AbortSignal): Promise<"stopped" | "killed"> {
    if (!this.#running) return "stopped";
    const done = new AbortController();
    this.kill("SIGTERM");
    const signal = AbortSignal.any([done.signal, force]);
    const timeUp = sleep(withinMs, "late", { signal }).catch(() => "forced");
    const end = await Promise.race([this.ended, timeUp]);
    done.abort();
    if (typeof end !== "string") return "stopped";
    this.kill("SIGKILL");
    await this.ended;
    return "killed";
  }
}

/**
 * A core dump would write the memory of the process, images in it, to a disk. The hard limit is set too, so
 * that the program cannot raise it again.
 */
const withoutCoreDump = "ulimit -c 0; ";
/** Time from SIGTERM to SIGKILL after the launcher was killed, in which a broker writes its logs. */
const killAfterS = 10;
const shellCode = `${withoutCoreDump}${groupWithLifeline({ killAfterS })}exec "$@"`;

/** Time in which a server repairs its data, over that of a usual start. */
export const repairMs = 600_000;
const outputDrainMs = 1_000;
const lastLinesMax = 25;
const probeEveryMs = 50;

export type Program = {
  name: string;
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  /** How the launcher knows that it is ready: an IPC message from it, or a probe that returns true. */
  ready: "message" | (() => Promise<boolean>);
  /** Whether the next start has to repair data first. */
  repairs?: () => boolean;
};

/** `cause` completes the sentence "NAME …". */
type ChildEnd = { cause: string; ranMs: number };
