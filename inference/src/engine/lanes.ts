import assert from "node:assert/strict";
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { LoadedLane, NetworkPrecision } from "@faceline/contracts/wire/report";
import { readCatalogue } from "@faceline/models/catalogue";
import { Aligner } from "../align/aligner.ts";
import { Warp } from "../align/warp.ts";
import { Detector, limitsOf } from "../detect/detector.ts";
import { Embedder } from "../embed/embedder.ts";
import { drawnFace } from "./drawn-face.ts";
import { Loading, type LoadingOptions } from "./loading.ts";
import type { Network } from "./network.ts";
import { Pipeline } from "./pipeline.ts";
import type { EngineWork, RunFacts, TaskResult } from "./work.ts";

/**
 * Loads and warms lanes in the calling thread, which their runs will block: a service opens an engine instead, which
 * does this in a thread of its own. A benchmark compares the service with these bare.
 */
export async function openLanes(options: LaneOptions): Promise<Lanes> {
  const catalogue = await readCatalogue();
  await using loading = new Loading(catalogue, options);

  const warp = new Warp();
  const opened = new Map<LaneId, OpenLane>();
  for (const lane of options.lanes) {
    const [embeddingName = "", detectorName = ""] = lane.split("/");
    const detector = await loading.load("detector", detectorName, options.detectorChunkMax);
    const landmarks = await loading.load("landmarks", LANDMARKS, options.faceChunkMax);
    const embedding = await loading.load("embedding", embeddingName, options.faceChunkMax);
    const pipeline = new Pipeline({
      detector: new Detector(detector.networks, limitsOf(catalogue.find("detector", detectorName)!)),
      aligner: new Aligner(landmarks.networks.at(-1)!, warp),
      embedder: new Embedder(embedding.networks.at(-1)!, warp),
      residualMaxPx: options.residualMaxPx,
    });
    const parts = [detector, landmarks, embedding];
    opened.set(lane, {
      pipeline,
      networks: parts.flatMap(({ networks }) => networks),
      full: parts.map(({ networks }) => networks.at(-1)!),
      precisions: parts.map(({ precision }) => precision),
    });
    await warmLoops(pipeline);
  }
  return new Lanes(options, opened, warp, loading);
}

/** The lanes that are loaded. One run at a time. */
export class Lanes implements AsyncDisposable {
  readonly loaded: LoadedLane[];
  /** Why models run in float that were to run in int8: a clause for each. */
  readonly fallbacks: string[];
  readonly #opened: ReadonlyMap<LaneId, OpenLane>;
  readonly #warp: Warp;
  readonly #resources: AsyncDisposableStack;

  constructor(options: LaneOptions, opened: ReadonlyMap<LaneId, OpenLane>, warp: Warp, loading: Loading) {
    this.#opened = opened;
    this.#warp = warp;
    this.#resources = loading.move();
    this.fallbacks = loading.fallbacks;
    this.loaded = [...opened].map(([lane, { full, precisions }]) => ({
      lane,
      executionProvider: options.executionProvider,
      precisions: [...precisions],
      sizes: batchSizes(options.batchMax).map((size) => ({
        size,
        // One face a picture, of which no small copy was enough. What is drawn between the runs is small beside them.
        runMs: full.reduce((sum, network) => sum + network.runMsOf(size), 0),
      })),
    }));
  }

  async run({ lane, pictures }: EngineWork): Promise<{ results: TaskResult[]; facts: RunFacts }> {
    const open = this.#opened.get(lane);
    assert(open, `the lane ${lane} is not loaded`);
    const begunAt = performance.now();
    try {
      // What a failed run left, or the warming, is nobody's.
      this.#takeFacts(lane, open, 0);
      const results = await open.pipeline.run(pictures);
      return { results, facts: this.#takeFacts(lane, open, performance.now() - begunAt) };
    } finally {
      this.#warp.wipe();
      for (const network of open.networks) network.wipe();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }

  #takeFacts(lane: LaneId, { pipeline, networks }: OpenLane, runMs: number): RunFacts {
    const own = networks.map((network) => network.takeFacts());
    return { ...pipeline.takeFacts(), lane, runMs, networks: own };
  }
}

/** 1, 2, 4 … and the largest batch itself. */
export function batchSizes(batchMax: number): number[] {
  const sizes: number[] = [];
  for (let size = 1; size < batchMax; size *= 2) sizes.push(size);
  return [...sizes, batchMax];
}

/**
 * Does what a first request would, so that it does not pay for loops which nothing has compiled yet: without it the first
 * picture takes five times as long.
 */
async function warmLoops(pipeline: Pipeline): Promise<void> {
  const px = 512;
  const pixels = drawnFace(px);
  for (const fullResolution of [false, true, false]) {
    const options = { align: true, enforceDetection: false, facesMax: 1, fullResolution };
    const picture = { width: px, height: px, originalWidth: px, originalHeight: px, options };
    await pipeline.run([{ ...picture, pixels }]);
  }
}

export const LANDMARKS = "landmarks-68";

export type LaneOptions = LoadingOptions & {
  lanes: readonly LaneId[];
  /** The most pictures of a batch. */
  batchMax: number;
  /** The most pictures of one run of a detector, whose memory is 50 MB a picture. */
  detectorChunkMax: number;
  /** The most faces of one run of a landmark or embedding network. */
  faceChunkMax: number;
  /** Landmarks further from the mean face, in pixels of the chip, are no face. */
  residualMaxPx: number;
};

type OpenLane = {
  pipeline: Pipeline;
  networks: readonly Network[];
  /** Of each model the one for its own side. */
  full: readonly Network[];
  precisions: readonly NetworkPrecision[];
};
