import type { Face } from "@faceline/contracts/wire/face";
import { encodeEmbedding } from "@faceline/contracts/wire/face";
import type { LoadedLane } from "@faceline/contracts/wire/report";
import { readCatalogue } from "@faceline/models/catalogue";
import * as z from "zod";
import type { Decode } from "../decode/decoder.ts";
import { batchSizes, type LaneOptions } from "./lanes.ts";
import { noTimes } from "./pipeline.ts";
import type { EngineWork, RunFacts, TaskResult } from "./work.ts";

/**
 * An engine whose run is only a wait: alphaMs + betaMs for each picture of the padded batch. Every hop around it is real, so
 * the scheduler and the pipeline can be measured on a machine without an accelerator. It looks at no picture, and
 * answers each with one and the same face.
 */
export type RunCost = { alphaMs: number; betaMs: number };

/** `onnx`, or `model:40+2b`: a run of a batch that was padded to b pictures takes 40 + 2b ms. */
export const EngineChoice = z
  .string()
  .regex(/^(onnx|model:\d+(\.\d+)?\+\d+(\.\d+)?b)$/, "must be onnx, or model:ALPHA+BETAb such as model:40+2b")
  .transform((text): RunCost | undefined => {
    const [, alphaMs, betaMs] = /^model:(.+)\+(.+)b$/.exec(text) ?? [];
    return alphaMs === undefined ? undefined : { alphaMs: Number(alphaMs), betaMs: Number(betaMs) };
  });

/** Lanes of the catalogue's names without their networks. A run blocks the calling thread, as a real one does. */
export async function openModelledLanes(
  { lanes, batchMax }: LaneOptions,
  cost: RunCost,
): Promise<ModelledLanes> {
  const catalogue = await readCatalogue();
  const faces = new Map<string, Face>();
  for (const lane of lanes) {
    const [name = "", detector = ""] = lane.split("/");
    const model = catalogue.find("embedding", name);
    if (model === undefined) throw new Error(`there is no embedding model ${name}`);
    if (catalogue.find("detector", detector) === undefined)
      throw new Error(`there is no detector ${detector}`);
    faces.set(lane, faceOf(model.embedding_size));
  }
  const sizes = batchSizes(batchMax).map((size) => ({ size, runMs: runMs(cost, size) }));
  const executionProvider = `model:${cost.alphaMs}+${cost.betaMs}b`;
  return new ModelledLanes(
    lanes.map((lane) => ({ lane, executionProvider, precisions: [], sizes })),
    faces,
    cost,
  );
}

export class ModelledLanes implements AsyncDisposable {
  readonly loaded: LoadedLane[];
  readonly fallbacks: string[] = [];
  readonly #faces: ReadonlyMap<string, Face>;
  readonly #cost: RunCost;
  /** Nobody ever wakes it. */
  readonly #never = new Int32Array(new SharedArrayBuffer(4));

  constructor(loaded: LoadedLane[], faces: ReadonlyMap<string, Face>, cost: RunCost) {
    this.loaded = loaded;
    this.#faces = faces;
    this.#cost = cost;
  }

  async run({ lane, pictures }: EngineWork): Promise<{ results: TaskResult[]; facts: RunFacts }> {
    const begunAt = performance.now();
    const face = this.#faces.get(lane);
    if (face === undefined) throw new Error(`the lane ${lane} is not loaded`);
    Atomics.wait(this.#never, 0, 0, runMs(this.#cost, this.#padded(pictures.length)));
    const results = pictures.map((): TaskResult => ({ kind: "faces", faces: [face] }));
    const tookMs = performance.now() - begunAt;
    return { results, facts: { ...noTimes, faces: results.length, lane, runMs: tookMs, networks: [] } };
  }

  /** The least size that it runs and that holds so many; as of the networks, there are few. */
  #padded(count: number): number {
    const sizes = this.loaded[0]!.sizes.map(({ size }) => size);
    return sizes.find((size) => size >= count) ?? sizes.at(-1)!;
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

const runMs = ({ alphaMs, betaMs }: RunCost, size: number): number => alphaMs + betaMs * size;

/** A vector of length 1 and a face of one pixel: the picture was not looked at. */
const faceOf = (embeddingSize: number): Face => ({
  area: { x: 0, y: 0, w: 1, h: 1, left_eye: null, right_eye: null },
  confidence: 0,
  embedding: encodeEmbedding(new Float32Array(embeddingSize).fill(1 / Math.sqrt(embeddingSize))),
});

/** In place of a decoder: what is fetched is dropped. */
export const lookAway: Decode = async () => ({
  kind: "picture",
  pixels: onePixel,
  width: 1,
  height: 1,
  originalWidth: 1,
  originalHeight: 1,
});

const onePixel = new Uint8Array(new SharedArrayBuffer(3));
