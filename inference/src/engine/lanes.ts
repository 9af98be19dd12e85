import assert from "node:assert/strict";
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { LoadedLane, NetworkPrecision } from "@faceline/contracts/wire/report";
import { addedFolder, readCatalogue } from "@faceline/models/catalogue";
import { syntheticFace } from "@faceline/models/synthetic-face";
import { Aligner } from "../align/aligner.ts";
import { alignmentTemplates } from "../align/templates.ts";
import { Detector, detectorLimits } from "../detect/detector.ts";
import { chipToTemplate, Embedder } from "../embed/embedder.ts";
import { Warp } from "../geometry/warp.ts";
import { ModelLoader, type ModelLoaderOptions } from "../network/model-loader.ts";
import type { Network } from "../network/network.ts";
import { isOutOfMemory } from "../network/out-of-memory.ts";
import { laneBuildOf } from "./lane-build.ts";
import { laneModels, requirePulled } from "./lane-models.ts";
import { Pipeline } from "./pipeline.ts";
import type { EngineWork, RunResult } from "./work.ts";

/**
 * Loads and warms lanes on the calling thread, which their runs will block. The service opens an engine
 * instead, which calls this on a thread of its own; a benchmark compares the service with these. Throws one
 * sentence where a model, its file or the execution provider is not available.
 */
export async function openLanes(options: LaneOptions): Promise<Lanes> {
  const catalogue = await readCatalogue(options.catalogueFolder, addedFolder(options.modelsDir));
  const models = laneModels(catalogue, options.lanes);
  requirePulled(options.modelsDir, models);
  await using loader = new ModelLoader(catalogue, options);

  const warp = new Warp();
  const opened = new Map<LaneId, OpenLane>();
  for (const entries of models) {
    const detector = await loader.load(entries.detector, options.detectorChunkMax);
    const landmarks = await loader.load(entries.landmarks, options.faceChunkMax);
    const embedding = await loader.load(entries.embedding, options.faceChunkMax);
    const template = alignmentTemplates[entries.landmarks.scheme];
    const pipeline = new Pipeline({
      detector: new Detector(detector.networks, detectorLimits(entries.detector)),
      aligner: new Aligner(landmarks.networks.at(-1)!, warp, template),
      embedder: new Embedder(embedding.networks.at(-1)!, warp, chipToTemplate(entries.embedding, template)),
      residualMaxPx: options.residualMaxPx,
    });
    const parts = [detector, landmarks, embedding];
    opened.set(entries.lane, {
      build: laneBuildOf(entries, { detector, landmarks, embedding }, options.executionProvider),
      pipeline,
      networks: parts.flatMap(({ networks }) => networks),
      fullResolution: parts.map(({ networks }) => networks.at(-1)!),
      precisions: parts.map(({ precision }) => precision),
    });
    await warmLoops(pipeline);
  }
  return new Lanes(options, opened, warp, loader);
}

/** The loaded lanes. One run at a time. */
export class Lanes implements AsyncDisposable {
  /** A run that is out of memory takes its size and all larger ones from its lane. */
  loaded: LoadedLane[];
  /** For each model that runs in float instead of int8, a clause that says why. */
  readonly fallbacks: string[];
  readonly #opened: ReadonlyMap<LaneId, OpenLane>;
  readonly #warp: Warp;
  readonly #resources: AsyncDisposableStack;

  constructor(options: LaneOptions, opened: ReadonlyMap<LaneId, OpenLane>, warp: Warp, loader: ModelLoader) {
    this.#opened = opened;
    this.#warp = warp;
    this.#resources = loader.move();
    this.fallbacks = loader.fallbacks;
    this.loaded = [...opened].map(([lane, { build, fullResolution, precisions }]) => ({
      lane,
      build,
      executionProvider: options.executionProvider,
      precisions: [...precisions],
      sizes: batchSizes(options.batchMax).map((size) => ({
        size,
        // For one face a picture, none of them clear at low resolution. Drawing between the runs is little
        // beside them.
        runMs: fullResolution.reduce((sum, network) => sum + network.runMsOf(size), 0),
      })),
    }));
  }

  /**
   * Runs the pictures of a batch. Zeroes everything that its stages have kept of them. Where memory did not
   * suffice, the lane has only smaller sizes from then on, until the process ends: the memory that is missing
   * now may be missing again.
   */
  async run({ lane, pictures }: EngineWork): Promise<RunResult> {
    const open = this.#opened.get(lane);
    assert(open, `the lane ${lane} is not loaded`);
    const startedAt = performance.now();
    try {
      const { results, facts } = await open.pipeline.run(pictures);
      return { results, facts: { ...facts, lane, runMs: performance.now() - startedAt } };
    } catch (error) {
      if (!isOutOfMemory(error)) throw error;
      const sizeMax = this.#removeSizes(lane, pictures.length);
      throw new Error(
        `out of memory in a batch of ${pictures.length}; ${lane} takes batches of ${sizeMax} from now on`,
        { cause: error },
      );
    } finally {
      this.#warp.wipe();
      for (const network of open.networks) network.wipe();
    }
  }

  /** Removes the size that `count` pictures are padded to and larger ones. Returns the largest left. */
  #removeSizes(lane: LaneId, count: number): number {
    this.loaded = this.loaded.map((each) =>
      each.lane === lane ? { ...each, sizes: sizesBelow(each.sizes, count) } : each,
    );
    return this.loaded.find((each) => each.lane === lane)!.sizes.at(-1)!.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}

/** The least size always stays: a worker of no size is of no use, and the next picture may be smaller. */
function sizesBelow(sizes: LoadedLane["sizes"], count: number): LoadedLane["sizes"] {
  const failed = sizes.find(({ size }) => size >= count);
  return failed === undefined ? sizes : sizes.filter(({ size }, i) => i === 0 || size < failed.size);
}

/** 1, 2, 4 … and `batchMax` itself. */
export function batchSizes(batchMax: number): number[] {
  const sizes: number[] = [];
  for (let size = 1; size < batchMax; size *= 2) sizes.push(size);
  return [...sizes, batchMax];
}

/**
 * Runs the pipeline as a first request would, so that V8 has compiled its loops: otherwise that takes five
 * times as long.
 */
async function warmLoops(pipeline: Pipeline): Promise<void> {
  const px = 512;
  const pixels = syntheticFace(px);
  for (const fullResolution of [false, true, false]) {
    const options = { align: true, enforceDetection: false, facesMax: 1, fullResolution };
    const picture = { width: px, height: px, originalWidth: px, originalHeight: px, options };
    await pipeline.run([{ ...picture, pixels }]);
  }
}

export type LaneOptions = ModelLoaderOptions & {
  lanes: readonly LaneId[];
  /** Defaults to the catalogue of the models package. */
  catalogueFolder?: string;
  /** The most pictures of a batch. */
  batchMax: number;
  /** The most pictures of one run of a detector, whose memory is 50 MB a picture. */
  detectorChunkMax: number;
  /** The most faces of one run of a landmark or embedding network. */
  faceChunkMax: number;
  /** Landmarks further from the template than this, in pixels of its chip, are no face. */
  residualMaxPx: number;
};

type OpenLane = {
  build: LaneBuild;
  pipeline: Pipeline;
  networks: readonly Network[];
  /** Of each model, the network for its own input side. */
  fullResolution: readonly Network[];
  precisions: readonly NetworkPrecision[];
};
