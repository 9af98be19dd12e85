import * as ort from "@faceline/models/onnxruntime";
import { chunksFor, runMsOf, type WarmSize } from "./chunks.ts";

/**
 * One ONNX network: square pictures in, rows of numbers out, in runs of fixed sizes. Each size is warmed when the
 * network is opened, so that no request waits for a first run.
 *
 * A run blocks the thread that it is called in, whatever the promise of `session.run` suggests.
 */
export class Network {
  readonly name: string;
  readonly px: number;
  readonly sizes: readonly WarmSize[];
  readonly #session: ort.InferenceSession;
  readonly #input: Uint8Array;
  #usedRows = 0;
  #facts = { ...noRuns };

  private constructor(source: NetworkSource, session: ort.InferenceSession, sizes: readonly number[]) {
    this.name = source.name;
    this.px = source.px;
    this.#session = session;
    this.#input = new Uint8Array(sizes.at(-1)! * this.#rowBytes);
    this.sizes = sizes.map((size) => ({ size, runMs: 0 }));
  }

  static async open(
    source: NetworkSource,
    session: ort.InferenceSession,
    sizes: readonly number[],
  ): Promise<Network> {
    const network = new Network(source, session, sizes);
    // The largest first: memory that it leaves behind serves the smaller ones.
    for (const warm of network.sizes.toReversed()) warm.runMs = await network.#warm(warm.size);
    network.takeFacts();
    return network;
  }

  /**
   * Runs any number of rows, in as many runs as they need. `write` draws a row just before its run (so no more than one
   * run's pictures exist at a time), `read` is given its numbers, by the name of the output.
   */
  async run(count: number, { write, read }: Rows): Promise<void> {
    let done = 0;
    for (const size of chunksFor(count, this.sizes)) {
      const rows = Math.min(size, count - done);
      for (let row = 0; row < rows; row++) write(done + row, this.#row(row));
      this.#usedRows = Math.max(this.#usedRows, rows);
      const outputs = await this.#runOnce(size);
      for (let row = 0; row < rows; row++) {
        read(done + row, (name) => rowOf(outputs[name]!, row, size));
      }
      for (const output of Object.values(outputs)) (output.data as Float32Array).fill(0);
      done += rows;
      this.#facts.rows += rows;
      this.#facts.paddedRows += size - rows;
    }
  }

  runMsOf(count: number): number {
    return runMsOf(count, this.sizes);
  }

  /** What has been run since the last call. */
  takeFacts(): NetworkFacts {
    const facts = { ...this.#facts, name: this.name };
    this.#facts = { ...noRuns };
    return facts;
  }

  /** Nothing of a picture stays when its batch has ended. */
  wipe(): void {
    this.#input.fill(0, 0, this.#usedRows * this.#rowBytes);
    this.#usedRows = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session.release();
  }

  /** The better of two: the plans are made from it, and a core that was taken for a moment would bend them. */
  async #warm(size: number): Promise<number> {
    await this.#runOnce(size);
    const runMs: number[] = [];
    for (let time = 0; time < 2; time++) {
      const startedAt = performance.now();
      await this.#runOnce(size);
      runMs.push(performance.now() - startedAt);
    }
    return Math.min(...runMs);
  }

  async #runOnce(size: number): Promise<ort.InferenceSession.OnnxValueMapType> {
    const startedAt = performance.now();
    const pixels = this.#input.subarray(0, size * this.#rowBytes);
    const image = new ort.Tensor("uint8", pixels, [size, this.px, this.px, 3]);
    const outputs = await this.#session.run({ image });
    this.#facts.runs++;
    this.#facts.runMs += performance.now() - startedAt;
    return outputs;
  }

  get #rowBytes(): number {
    return 3 * this.px * this.px;
  }

  #row(row: number): Uint8Array {
    return this.#input.subarray(row * this.#rowBytes, (row + 1) * this.#rowBytes);
  }
}

function rowOf(output: ort.OnnxValue, row: number, size: number): Float32Array {
  const numbers = output.data as Float32Array;
  const width = numbers.length / size;
  return numbers.subarray(row * width, (row + 1) * width);
}

const noRuns = { runs: 0, rows: 0, paddedRows: 0, runMs: 0 };

export type NetworkSource = { name: string; px: number };
export type NetworkFacts = { name: string; runs: number; rows: number; paddedRows: number; runMs: number };

export type Rows = {
  /** The row holds what an earlier run left: every pixel has to be written. */
  write(index: number, row: Uint8Array): void;
  /** The numbers are zeroed after it: what is to stay is copied. */
  read(index: number, output: (name: string) => Float32Array): void;
};
