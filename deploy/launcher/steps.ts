import { type CommandOutput, commandOutput } from "@faceline/runtime/command-output";

/**
 * Prints the steps of a command with the time that each took. While one runs, it shows for how long, and what
 * the step waits for.
 */
export class Steps {
  readonly done: Step[] = [];
  readonly #output: CommandOutput;
  readonly #startedAt: number;

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
    let noted = "";
    let seconds = 0;
    // A step that takes long must not look like one that hangs.
    const timer = setInterval(() => {
      seconds++;
      if (seconds === 1 && !this.#output.isTerminal) this.#output.print(runningLine({ name, noted }));
      else this.#output.showProgress(runningLine({ name, noted, seconds }));
    }, 1_000);
    try {
      let warns = false;
      const ok = await work((text, options) => {
        noted = text;
        warns = options?.warns === true;
      });
      const step = { name, tookMs: performance.now() - startedAt, ok, warns };
      this.done.push(step);
      this.#output.print(`${stepLine(step)}${noted === "" ? "" : `  ${noted}`}`);
      return ok;
    } finally {
      clearInterval(timer);
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

const runningLine = ({ name, noted, seconds }: { name: string; noted: string; seconds?: number }): string =>
  ["  ", name, " …", seconds === undefined ? "" : ` ${seconds} s`, noted === "" ? "" : `  ${noted}`].join("");

const stepLine = ({ name, tookMs, ok, warns }: Step): string =>
  `${ok ? (warns ? "!" : "✓") : "✗"} ${name.padEnd(20)} ${(tookMs / 1000).toFixed(1).padStart(6)} s`;

/** `warns`: what is noted is a warning, so the step is not marked as fine. */
type Note = (text: string, options?: { warns: boolean }) => void;

type Step = { name: string; tookMs: number; ok: boolean; warns?: boolean };
