import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Profile } from "@faceline/contracts/stored/profile";
import type { Prediction } from "../prediction/predict.ts";
import type { Trace } from "../trace/trace.ts";

/**
 * Predictions of a search in a file, so that the same command goes on where it was stopped. The file is named
 * after all that they depend on, and replaced as a whole. A file that cannot be read is begun again.
 */
export class Checkpoint {
  readonly #file: string;
  readonly #predictions: Map<string, Prediction>;
  readonly resumed: number;

  constructor(folder: string, { trace, profile, traffic }: CheckpointKey) {
    const hash = createHash("sha256").update(JSON.stringify([fileVersion, profile, traffic]));
    for (const column of Object.values(trace.columns)) {
      if (ArrayBuffer.isView(column)) {
        hash.update(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
      } else hash.update(JSON.stringify(column ?? null));
    }
    this.#file = join(folder, `${hash.digest("hex").slice(0, 16)}.json`);
    this.#predictions = new Map(readEntries(this.#file));
    this.resumed = this.#predictions.size;
  }

  async get(key: string, predict: () => Promise<Prediction>): Promise<Prediction> {
    const known = this.#predictions.get(key);
    if (known !== undefined) return known;
    const prediction = await predict();
    this.#predictions.set(key, prediction);
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(`${this.#file}.part`, JSON.stringify([...this.#predictions]));
    renameSync(`${this.#file}.part`, this.#file);
    return prediction;
  }
}

function readEntries(file: string): [string, Prediction][] {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as [string, Prediction][];
  } catch {
    return [];
  }
}

/** Changes when predictions change: then older ones are not used. */
const fileVersion = 3;

/** `traffic`: other inputs of the predictions, such as the target. */
type CheckpointKey = { trace: Trace; profile: Profile; traffic: unknown };
