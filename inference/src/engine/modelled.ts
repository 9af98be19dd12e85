import type { Face } from "@faceline/contracts/wire/face";
import { encodeEmbedding } from "@faceline/contracts/wire/face";
import type { LoadedLane } from "@faceline/contracts/wire/report";
import { addedFolder, readCatalogue } from "@faceline/models/catalogue";
import * as z from "zod";
import type { Decode } from "../decode/decoder.ts";
import { doublingSizes } from "../network/run-sizes.ts";
import { modelledBuildOf } from "./lane-build.ts";
import { laneModels } from "./lane-models.ts";
import type { LaneOptions } from "./lanes.ts";
import { noUsage } from "./pipeline.ts";
import { startRunClock } from "./run-clock.ts";
import type { EngineWork, RunResult, TaskResult } from "./work.ts";

/**
 * An engine whose run is only a wait: alphaMs + betaMs for each image of the padded batch. Everything around
 * it is real, so the scheduler and the path of a request can be measured without an accelerator. It reads no
 * image and answers each with the same face.
 */
export type RunCost = { alphaMs: number; betaMs: number };

/**
 * The setting ENGINE: `onnx`, or `model:40+2b`, where a run of a batch that is padded to b images takes 40
 * + 2b ms.
 */
export const EngineChoice = z
  .string()
  .regex(/^(onnx|model:\d+(\.\d+)?\+\d+(\.\d+)?b)$/, "must be onnx, or model:ALPHA+BETAb such as model:40+2b")
  .transform((text): RunCost | undefined => {
    const [, alphaMs, betaMs] = /^model:(.+)\+(.+)b$/.exec(text) ?? [];
    return alphaMs === undefined ? undefined : { alphaMs: Number(alphaMs), betaMs: Number(betaMs) };
  });

/** The lanes without their networks. A run blocks the calling thread, as a real one does. */
export async function openModelledLanes(
  { lanes, batchMax, catalogueFolder, modelsDir }: LaneOptions,
  cost: RunCost,
): Promise<ModelledLanes> {
  const models = laneModels(await readCatalogue(catalogueFolder, addedFolder(modelsDir)), lanes);
  const faces = new Map(
    models.map(({ lane, recogniser }) => [lane, placeholderFace(recogniser.embedding_size)]),
  );
  const sizes = doublingSizes(batchMax).map((size) => ({ size, runMs: runMs(cost, size) }));
  const executionProvider = `model:${cost.alphaMs}+${cost.betaMs}b`;
  const loaded = models.map((each) => ({
    lane: each.lane,
    build: modelledBuildOf(each, executionProvider),
    executionProvider,
    precisions: [],
    sizes,
  }));
  return new ModelledLanes(loaded, faces, cost);
}

export class ModelledLanes implements AsyncDisposable {
  readonly loaded: LoadedLane[];
  readonly #faces: ReadonlyMap<string, Face>;
  readonly #cost: RunCost;
  /** Nothing ever wakes it: a wait on it ends by its timeout. */
  readonly #never = new Int32Array(new SharedArrayBuffer(4));

  constructor(loaded: LoadedLane[], faces: ReadonlyMap<string, Face>, cost: RunCost) {
    this.loaded = loaded;
    this.#faces = faces;
    this.#cost = cost;
  }

  async run({ lane, images }: EngineWork): Promise<RunResult> {
    const clock = startRunClock();
    const face = this.#faces.get(lane);
    if (face === undefined) throw new Error(`the lane ${lane} is not loaded`);
    Atomics.wait(this.#never, 0, 0, runMs(this.#cost, this.#paddedSize(images.length)));
    const results = images.map((): TaskResult => ({ kind: "faces", faces: [face] }));
    const usage = { ...noUsage, faces: results.length, lane, ...clock() };
    return { results, usage };
  }

  /** The smallest batch size that holds this many images. */
  #paddedSize(count: number): number {
    const sizes = this.loaded[0]!.sizes.map(({ size }) => size);
    return sizes.find((size) => size >= count) ?? sizes.at(-1)!;
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

function runMs({ alphaMs, betaMs }: RunCost, size: number): number {
  return alphaMs + betaMs * size;
}

/** A face of one pixel with an embedding of length 1, because no image was read. */
function placeholderFace(embeddingSize: number): Face {
  return {
    area: { x: 0, y: 0, w: 1, h: 1, left_eye: null, right_eye: null, detector: null },
    confidence: 0,
    embedding: encodeEmbedding(new Float32Array(embeddingSize).fill(1 / Math.sqrt(embeddingSize))),
  };
}

/** The null decoder of a modelled engine: drops the bytes and returns an image of one black pixel. */
export const nullDecoder: Decode = async () => ({
  kind: "image",
  pixels: onePixel,
  width: 1,
  height: 1,
  originalWidth: 1,
  originalHeight: 1,
});

const onePixel = new Uint8Array(new SharedArrayBuffer(3));
