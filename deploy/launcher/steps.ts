/** Prints the steps of a command with the time that each takes, while they run. */
export class Steps {
  readonly done: Step[] = [];
  readonly #print: (line: string) => void;
  readonly #startedAt: number;

  constructor(
    print: (line: string) => void = (line) => process.stdout.write(`${line}\n`),
    startedAt = Date.now(),
  ) {
    this.#print = print;
    this.#startedAt = startedAt;
  }

  /**
   * Counts from the start of the command. The bootstrap passes that instant on; it may have installed
   * packages.
   */
  static sinceCommandStart(print: (line: string) => void): Steps {
    const startedAt = Number(process.env["FACELINE_STARTED_AT"] ?? Date.now());
    const steps = new Steps(print, startedAt);
    steps.done.push({ name: "packages", tookMs: Date.now() - startedAt, ok: true });
    return steps;
  }

  get tookMs(): number {
    return Date.now() - this.#startedAt;
  }

  /**
   * Runs a step that the next ones need, and rethrows its error. `work` may add a note to the printed line.
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
    // A step that takes long must not look like one that hangs.
    const timer = setTimeout(() => this.#print(`  ${name} …`), announceAfterMs);
    const ok = await work((text) => {
      noted = text;
    });
    clearTimeout(timer);
    const step = { name, tookMs: performance.now() - startedAt, ok };
    this.done.push(step);
    this.#print(`${stepLine(step)}${noted === "" ? "" : `  ${noted}`}`);
    return ok;
  }

  /** All steps, and the time since the start of the command. */
  table(): string {
    return [...this.done, { name: "all", tookMs: this.tookMs, ok: this.done.every(({ ok }) => ok) }]
      .map(stepLine)
      .join("\n");
  }
}

const announceAfterMs = 1_000;

const stepLine = ({ name, tookMs, ok }: Step): string =>
  `${ok ? "✓" : "✗"} ${name.padEnd(20)} ${(tookMs / 1000).toFixed(1).padStart(6)} s`;

type Note = (text: string) => void;

type Step = { name: string; tookMs: number; ok: boolean };
