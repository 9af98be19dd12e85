import assert from "node:assert/strict";
import * as ort from "@faceline/models/onnxruntime";
import { chunksFor, runMsOf, type WarmSize } from "./chunks.ts";
import { isOutOfMemory } from "./out-of-memory.ts";
import { type WarmUpClock, wallMs } from "./warm-up-clock.ts";

/**
 * One ONNX network: square images in, rows of numbers out, in runs of fixed sizes. Each size is warmed when
 * the network is opened, so that no request waits for a first run.
 *
 * A run blocks the thread that calls it, although `session.run` returns a promise. lanes.test.ts tests it
 * with the real networks, model-seam.test.ts with tensors of other names.
 */
export class Network {
  readonly name: string;
  readonly px: number;
  /** Those that were warmed, ascending. */
  readonly sizes: readonly WarmSize[];
  readonly #tensors: TensorNames;
  readonly #session: ort.InferenceSession;
  readonly #input: Uint8Array;
  #usedRows = 0;

  private constructor(source: NetworkSource, session: ort.InferenceSession, sizes: WarmSize[]) {
    this.name = source.name;
    this.px = source.px;
    this.#tensors = source.tensors;
    this.#session = session;
    this.#input = new Uint8Array(sizes.at(-1)!.size * this.#rowBytes);
    this.sizes = sizes;
  }

  /**
   * Opens a network over a session and warms it for `sizes`, which ascend. The network owns the session. A
   * size for which memory does not suffice is left out, unless it is the smallest: a larger number of rows
   * takes several runs then. `clock` compares the sizes.
   */
  static async open(
    source: NetworkSource,
    session: ort.InferenceSession,
    sizes: readonly number[],
    { onWarmUp, clock = wallMs }: WarmUpOptions = {},
  ): Promise<Network> {
    const warmSizes = sizes.map((size) => ({ size, runMs: 0 }));
    const network = new Network(source, session, warmSizes);
    // The largest first: memory that it leaves behind serves the smaller ones.
    for (const warm of warmSizes.toReversed()) {
      const times = await network.#warm(warm.size, clock).catch((error: unknown) => {
        if (!isOutOfMemory(error) || warm.size === sizes[0]) throw error;
        warmSizes.pop();
        return undefined;
      });
      warm.runMs = times?.runMs ?? 0;
      onWarmUp?.({ network: source.name, size: warm.size, times });
    }
    return network;
  }

  /**
   * Runs any number of rows, in as many runs as they need. `write` draws a row just before its run, so that
   * only the pixels of one run exist at a time; `read` gets its outputs. Returns what the runs took.
   */
  async run(count: number, { write, read }: Rows): Promise<NetworkUsage> {
    const usage: NetworkUsage = { name: this.name, runs: 0, rows: 0, paddedRows: 0, runMs: 0 };
    for (const size of chunksFor(count, this.sizes)) {
      const first = usage.rows;
      const rows = Math.min(size, count - first);
      for (let row = 0; row < rows; row++) write(first + row, this.#row(row));
      this.#usedRows = Math.max(this.#usedRows, rows);
      const startedAt = performance.now();
      const outputs = await this.#runOnce(size);
      usage.runMs += performance.now() - startedAt;
      try {
        for (let row = 0; row < rows; row++) {
          read(first + row, (output) => rowOf(this.#tensor(outputs, output), row, size));
        }
      } finally {
        for (const output of Object.values(outputs)) (output.data as Float32Array).fill(0);
      }
      usage.runs++;
      usage.rows += rows;
      usage.paddedRows += size - rows;
    }
    return usage;
  }

  /** Milliseconds that `count` rows take, by the times of the warm runs. */
  runMsOf(count: number): number {
    return runMsOf(count, this.sizes);
  }

  /** Zeroes the input: no pixel may remain in memory after its batch. */
  wipe(): void {
    this.#input.fill(0, 0, this.#usedRows * this.#rowBytes);
    this.#usedRows = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session.release();
  }

  /**
   * The time of the first run, in which a GPU chooses its algorithms, and of the faster of two more: run
   * plans are made from it, and a core that was busy for a moment would distort them.
   */
  async #warm(size: number, clock: WarmUpClock): Promise<WarmUpTimes> {
    const firstStartedAt = performance.now();
    await this.#runOnce(size);
    const firstMs = performance.now() - firstStartedAt;
    const runMs: number[] = [];
    for (let time = 0; time < 2; time++) {
      const before = clock();
      await this.#runOnce(size);
      runMs.push(clock() - before);
    }
    return { firstMs, runMs: Math.min(...runMs) };
  }

  async #runOnce(size: number): Promise<ort.InferenceSession.OnnxValueMapType> {
    const pixels = this.#input.subarray(0, size * this.#rowBytes);
    const image = new ort.Tensor("uint8", pixels, [size, this.px, this.px, 3]);
    const outputs = await this.#session.run({ [this.#tensors.input]: image });
    Atomics.add(networkRuns, 0, 1);
    return outputs;
  }

  #tensor(outputs: ort.InferenceSession.OnnxValueMapType, output: string): ort.OnnxValue {
    const tensor = outputs[this.#tensors.outputs[output] ?? ""];
    assert(tensor, `the network ${this.name} has no output for ${output}`);
    return tensor;
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

/** How many runs of networks have ended on this thread. Another thread sees by it whether a run continues. */
export const networkRuns = new Int32Array(new SharedArrayBuffer(4));

/** A size of a network that was warmed, or left out: then `times` is undefined. */
export type WarmUp = { network: string; size: number; times: WarmUpTimes | undefined };

/** `runMs` is by the clock that compares sizes. */
type WarmUpTimes = { firstMs: number; runMs: number };

type WarmUpOptions = { onWarmUp?: OnWarmUp | undefined; clock?: WarmUpClock };

/** Is called after the warm-up of each size, the largest first. */
export type OnWarmUp = (warmUp: WarmUp) => void;

/** A network's name for measurements, the side of its input images, and the names of its tensors. */
export type NetworkSource = { name: string; px: number; tensors: TensorNames };

/**
 * The file's names for its input and for what the pipeline calls `boxes`, `scores`, `points` and `embedding`.
 */
export type TensorNames = { input: string; outputs: Readonly<Record<string, string>> };

/** Usage of a network: its runs, rows and padding, and the milliseconds of its runs. */
export type NetworkUsage = { name: string; runs: number; rows: number; paddedRows: number; runMs: number };

/** The sum of several usages of each network, in the order in which networks first appear. */
export function sumUsage(usages: readonly NetworkUsage[]): NetworkUsage[] {
  const sums = new Map<string, NetworkUsage>();
  for (const { name, runs, rows, paddedRows, runMs } of usages) {
    const sum = sums.get(name) ?? { name, runs: 0, rows: 0, paddedRows: 0, runMs: 0 };
    sums.set(name, {
      name,
      runs: sum.runs + runs,
      rows: sum.rows + rows,
      paddedRows: sum.paddedRows + paddedRows,
      runMs: sum.runMs + runMs,
    });
  }
  return [...sums.values()];
}

export type Rows = {
  /** The row holds what an earlier run left: every pixel has to be written. */
  write(index: number, row: Uint8Array): void;
  /** The numbers of one output for this row. They are zeroed after `read`: copy what has to stay. */
  read(index: number, output: (name: string) => Float32Array): void;
};
