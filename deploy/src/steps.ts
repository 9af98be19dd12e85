/** What was done and how long it took, told while it happens. */
export class Steps {
  readonly done: Step[] = [];
  readonly #say: (line: string) => void;

  constructor(say: (line: string) => void = (line) => process.stdout.write(`${line}\n`)) {
    this.#say = say;
  }

  /** Runs a step; `work` may return a few words about what came of it. */
  async run<T>(name: string, work: (note: (words: string) => void) => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    let words = "";
    // A step that takes long must not look like one that hangs.
    const patience = setTimeout(() => this.#say(`  ${name} …`), silentMs);
    const end = (ok: boolean) => {
      clearTimeout(patience);
      const tookMs = performance.now() - startedAt;
      this.done.push({ name, tookMs, ok });
      this.#say(`${ok ? "✓" : "✗"} ${name.padEnd(22)} ${seconds(tookMs)}${words === "" ? "" : `  ${words}`}`);
    };
    try {
      const result = await work((note) => {
        words = note;
      });
      end(true);
      return result;
    } catch (error) {
      end(false);
      throw error;
    }
  }
}

const silentMs = 1_000;

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1).padStart(5)} s`;

export type Step = { name: string; tookMs: number; ok: boolean };
