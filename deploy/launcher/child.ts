import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * One process, from its start to its end. It leads a process group of its own: Ctrl-C at the terminal reaches the
 * launcher alone, which stops the processes in their order.
 */
export class Child {
  readonly name: string;
  readonly pid: number | undefined;
  readonly ended: Promise<Ending>;
  readonly #process: ChildProcess;
  readonly #said: Promise<void>;
  readonly #program: Program;
  readonly #lastLines: string[] = [];
  #running = true;

  constructor(program: Program, heard: (line: string) => void) {
    const startedAt = performance.now();
    this.name = program.name;
    this.#program = program;
    this.#process = spawn(program.command, program.args, {
      detached: true,
      stdio: ["ignore", "pipe", "pipe", ...(program.ready === "message" ? (["ipc"] as const) : [])],
      env: program.env,
    });
    this.pid = this.#process.pid;

    const end = Promise.withResolvers<Ending>();
    const finish = (how: string) => {
      this.#running = false;
      end.resolve({ how, ranMs: performance.now() - startedAt });
    };
    this.#process.on("error", (error) => finish(`could not be started: ${error.message}`));
    this.#process.on("exit", (code, signal) => {
      const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      // What it said last is still on its way. Not for ever: somebody else may hold the other end.
      const patience = setTimeout(() => finish(how), lastWordsMs);
      this.#process.once("close", () => {
        clearTimeout(patience);
        finish(how);
      });
    });
    this.ended = end.promise;

    const said = Promise.withResolvers<void>();
    this.#process.on("message", (message: { kind?: unknown }) => {
      if (message.kind === "ready") said.resolve();
    });
    this.#said = said.promise;

    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      createInterface({ input: stream!, crlfDelay: Infinity }).on("line", (line) => {
        this.#lastLines.push(line);
        if (this.#lastLines.length > lastLinesMax) this.#lastLines.shift();
        heard(line);
      });
    }
  }

  get running(): boolean {
    return this.#running;
  }

  /** Throws a sentence and the last lines it printed when the process ends, or takes too long. */
  async ready(withinMs: number, stop: AbortSignal): Promise<void> {
    const giveUp = new AbortController();
    const signal = AbortSignal.any([giveUp.signal, stop]);
    try {
      const fault = await Promise.race([
        this.#inService(signal),
        this.ended.then(({ how }) => how),
        sleep(withinMs, `was not ready within ${withinMs} ms (READY_WITHIN_MS)`, { signal }),
      ]);
      if (fault !== undefined) throw new Error(`${this.name} ${fault}. ${this.lastWords()}`);
    } finally {
      giveUp.abort();
    }
  }

  async #inService(signal: AbortSignal): Promise<undefined> {
    if (this.#program.ready === "message") await this.#said;
    else while (!(await this.#program.ready())) await sleep(probeEveryMs, undefined, { signal });
    return undefined;
  }

  /** What it printed last, for a message that says why it ended. */
  lastWords(): string {
    return this.#lastLines.length === 0
      ? "It printed nothing."
      : `Its last lines:\n${this.#lastLines.map((line) => `  ${line}`).join("\n")}`;
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Asks it to stop, waits, and kills it when the time is up or `force` aborts. */
  async stop(withinMs: number, force: AbortSignal): Promise<"stopped" | "killed"> {
    if (!this.#running) return "stopped";
    const done = new AbortController();
    this.kill("SIGTERM");
    const patience = sleep(withinMs, "late", { signal: AbortSignal.any([done.signal, force]) });
    const end = await Promise.race([this.ended, patience.catch(() => "forced")]);
    done.abort();
    if (typeof end !== "string") return "stopped";
    this.kill("SIGKILL");
    await this.ended;
    return "killed";
  }
}

const lastWordsMs = 1_000;
const lastLinesMax = 25;
const probeEveryMs = 50;

export type Program = {
  name: string;
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  /** How it shows that it is in service: by an IPC message, or by what a probe of it finds. */
  ready: "message" | (() => Promise<boolean>);
};

export type Ending = { how: string; ranMs: number };
