/** What was done and how long it took, told while it happens. */
export class Steps {
  readonly done: Step[] = [];
  readonly #say: (line: string) => void;
  readonly #startedAt: number;

  constructor(
    say: (line: string) => void = (line) => process.stdout.write(`${line}\n`),
    startedAt = Date.now(),
  ) {
    this.#say = say;
    this.#startedAt = startedAt;
  }

  /** Counts from when the command was given: the bootstrap has passed that on, and installed the packages since. */
  static sinceCommand(say: (line: string) => void): Steps {
    const startedAt = Number(process.env["FACELINE_STARTED_AT"] ?? Date.now());
    const steps = new Steps(say, startedAt);
    steps.done.push({ name: "packages", tookMs: Date.now() - startedAt, ok: true });
    return steps;
  }

  get tookMs(): number {
    return Date.now() - this.#startedAt;
  }

  /** Runs a step that the next ones need; `work` may leave a few words about what came of it. */
  async run<T>(name: string, work: (note: Note) => Promise<T>): Promise<T> {
    let result: { is: T } | undefined;
    let fault: unknown;
    await this.part(name, async (note) => {
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

  /** Runs a step that the next ones do without: `work` returns whether it went well. */
  async part(name: string, work: (note: Note) => Promise<boolean>): Promise<boolean> {
    const startedAt = performance.now();
    let words = "";
    // A step that takes long must not look like one that hangs.
    const patience = setTimeout(() => this.#say(`  ${name} …`), silentMs);
    const ok = await work((note) => {
      words = note;
    });
    clearTimeout(patience);
    const step = { name, tookMs: performance.now() - startedAt, ok };
    this.done.push(step);
    this.#say(`${lineOf(step)}${words === "" ? "" : `  ${words}`}`);
    return ok;
  }

  /** All of them again, with their sum as the clock saw it. */
  table(): string {
    return [...this.done, { name: "all", tookMs: this.tookMs, ok: this.done.every(({ ok }) => ok) }]
      .map(lineOf)
      .join("\n");
  }
}

const silentMs = 1_000;

const lineOf = ({ name, tookMs, ok }: Step): string =>
  `${ok ? "✓" : "✗"} ${name.padEnd(20)} ${(tookMs / 1000).toFixed(1).padStart(6)} s`;

export type Note = (words: string) => void;

export type Step = { name: string; tookMs: number; ok: boolean };
