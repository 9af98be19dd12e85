import { type CommandOutput, commandOutput } from "@faceline/runtime/command-output";

/**
 * Prints the steps of a command with the time that each took. Steps may run beside each other. While some
 * run, it shows which, for how long, and what they wait for.
 */
export class Steps {
  readonly done: Step[] = [];
  readonly #output: CommandOutput;
  readonly #startedAt: number;
  readonly #running = new Set<RunningStep>();

  constructor(output: CommandOutput = commandOutput, startedAt = Date.now()) {
    this.#output = output;
    this.#startedAt = startedAt;
  }

  /**
   * Counts from the start of the command. The bootstrap passes that instant on; it may have installed
   * packages.
   */
  static sinceCommandStart(): Steps {
    const startedAt = Number(process.env["FACELINE_STARTED_AT"] ?? Date.now());
    const steps = new Steps(commandOutput, startedAt);
    steps.done.push({ name: "packages", tookMs: Date.now() - startedAt, ok: true });
    return steps;
  }

  get tookMs(): number {
    return Date.now() - this.#startedAt;
  }

  /**
   * Runs a step that the next ones need, and rethrows its error. The latest note of `work` is shown while it
   * runs, and in the line that is printed at its end.
   */
  async run<T>(name: string, work: (note: Note) => Promise<T>): Promise<T> {
    let result: { is: T } | undefined;
    let fault: unknown;
    await this.attempt(name, async (note) => {
      try {
        result = { is: await work(note) };
      } catch (error) {
        fault = error;
      }
      return result !== undefined;
    });
    if (result === undefined) throw fault;
    return result.is;
  }

  /** Runs a step that the next ones do not need: `work` returns whether it succeeded. */
  async attempt(name: string, work: (note: Note) => Promise<boolean>): Promise<boolean> {
    const startedAt = performance.now();
    const running: RunningStep = { name, seconds: 0, noted: "" };
    this.#running.add(running);
    // A step that takes long must not look like one that hangs.
    const timer = setInterval(() => {
      running.seconds++;
      const isNew = running.seconds === 1 && !this.#output.isTerminal;
      if (isNew) this.#output.print(runningLine(running));
      else this.#output.showProgress([...this.#running].map(runningLine).join(""));
    }, 1_000);
    try {
      const ok = await work((text) => {
        running.noted = text;
      });
      const step = { name, tookMs: performance.now() - startedAt, ok };
      this.done.push(step);
      this.#output.print(`${stepLine(step)}${running.noted === "" ? "" : `  ${running.noted}`}`);
      return ok;
    } finally {
      clearInterval(timer);
      this.#running.delete(running);
      this.#output.showProgress("");
    }
  }

  /** All steps, and the time since the start of the command. */
  table(): string {
    return [...this.done, { name: "all", tookMs: this.tookMs, ok: this.done.every(({ ok }) => ok) }]
      .map(stepLine)
      .join("\n");
  }
}

const runningLine = ({ name, seconds, noted }: RunningStep): string =>
  ["  ", name, " …", seconds > 1 ? ` ${seconds} s` : "", noted === "" ? "" : `  ${noted}`].join("");

const stepLine = ({ name, tookMs, ok }: Step): string =>
  `${ok ? "✓" : "✗"} ${name.padEnd(20)} ${(tookMs / 1000).toFixed(1).padStart(6)} s`;

export type Note = (text: string) => void;

type Step = { name: string; tookMs: number; ok: boolean };

type RunningStep = { name: string; seconds: number; noted: string };
