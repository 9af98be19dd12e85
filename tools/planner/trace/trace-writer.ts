import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import type { RecordedOutcome } from "@faceline/contracts/recording/recorded-call";
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { ImageSize } from "./trace.ts";
import type { MeasuredCalls } from "./measured-calls.ts";
import { traceLanesMax } from "./trace-file.ts";

/**
 * Writes a trace, see trace-file.ts, of at most `bytesMax`, that can be read at any time. Throws an Error
 * with a sentence if the file is there already. Without a call no file is left, so that it does not stop the
 * next try.
 */
export class TraceWriter implements Disposable {
  readonly #path: string;
  readonly #file: number;
  readonly #lanes: LaneId[] = [];
  #bytesLeft: number;
  #size = headerBytes;
  #measured: MeasuredCalls | undefined;
  calls = 0;

  constructor(file: string, bytesMax: number) {
    this.#path = file;
    try {
      this.#file = openSync(file, "wx", 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      throw new Error(`${file} already exists; choose another name with --out.`, { cause: error });
    }
    this.#bytesLeft = bytesMax - headerBytes;
    this.#writeHeader();
  }

  /** Returns false if the trace is full. */
  add({ atMs, tenant, lane, timeBudgetMs, images, outcome }: TracedCall): boolean {
    if (!this.#lanes.includes(lane)) {
      if (this.#lanes.length === traceLanesMax) return false;
      this.#lanes.push(lane);
      this.#writeHeader();
    }
    const sizes = images.map(({ bytes, pixels }) => [bytes, pixels]);
    const at = Number(atMs.toFixed(2));
    const call = [at, tenant, this.#lanes.indexOf(lane), timeBudgetMs, sizes, outcome];
    const line = Buffer.from(`${JSON.stringify(call)}\n`);
    if (line.length > this.#bytesLeft) return false;
    writeSync(this.#file, line, 0, line.length, this.#size);
    this.#bytesLeft -= line.length;
    this.#size += line.length;
    this.calls++;
    return true;
  }

  addMeasured(measured: MeasuredCalls): void {
    this.#measured = measured;
    this.#writeHeader();
  }

  /** Lanes show as calls come: the first line has room for all of them, and for what was measured. */
  #writeHeader(): void {
    const content = { format: "faceline-trace", version: 1, lanes: this.#lanes, measured: this.#measured };
    const header = JSON.stringify(content);
    writeSync(this.#file, `${header.padEnd(headerBytes - 1)}\n`, 0);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
    if (this.calls === 0) rmSync(this.#path);
  }
}

/** Room for all lanes: see LaneId for their length. */
const headerBytes = 4_096;

export type TracedCall = {
  /** Since the start of the trace. */
  atMs: number;
  tenant: number;
  lane: LaneId;
  timeBudgetMs: number;
  images: readonly ImageSize[];
  outcome: RecordedOutcome;
};
