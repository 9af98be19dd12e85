import assert from "node:assert/strict";
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { LoadedLane } from "@faceline/contracts/wire/report";
import { addedFolder, readCatalogue } from "@faceline/models/catalogue";
import { detectorsOf } from "@faceline/models/detector-choice";
import { syntheticFace } from "@faceline/models/synthetic-face";
import { Aligner } from "../align/aligner.ts";
import { alignmentTemplates } from "../align/templates.ts";
import { Detector, detectorLimits } from "../detect/detector.ts";
import { chipToTemplate, Embedder } from "../embed/embedder.ts";
import { Warp } from "../geometry/warp.ts";
import { type LoadedModel, ModelLoader, type ModelLoaderOptions } from "../network/model-loader.ts";
import type { Network, OnWarmUp } from "../network/network.ts";
import { isOutOfMemory } from "../network/out-of-memory.ts";
import { doublingSizes } from "../network/run-sizes.ts";
import { QualityMeter } from "../quality/quality-meter.ts";
import { laneBuildOf } from "./lane-build.ts";
import { type LaneModels, laneModels, requirePulled } from "./lane-models.ts";
import { Pipeline } from "./pipeline.ts";
import { startRunClock } from "./run-clock.ts";
import type { EngineWork, RunResult } from "./work.ts";

/**
 * Opens lanes on the calling thread, which their loads and runs will block. The service opens an engine
 * instead, which calls this on a thread of its own; a benchmark compares the service with these. Throws one
 * sentence where a model, its file or the execution provider is not available.
 */
export async function openLanes(options: LaneOptions, onWarmUp: OnWarmUp = () => {}): Promise<Lanes> {
  const catalogue = await readCatalogue(options.catalogueFolder, addedFolder(options.modelsDir));
  const models = laneModels(catalogue, options.lanes);
  requirePulled(options.modelsDir, models);
  await using opening = new AsyncDisposableStack();
  const lanes = opening.use(new Lanes(options, models, new ModelLoader(catalogue, { ...options, onWarmUp })));
  for (const lane of options.lanes) await lanes.load(lane);
  opening.move();
  return lanes;
}

/** The loaded lanes. One run at a time. */
export class Lanes implements AsyncDisposable {
  /** A run that ran out of memory takes its size and all larger ones from its lane. */
  loaded: LoadedLane[] = [];
  readonly #options: LaneOptions;
  readonly #models: ReadonlyMap<LaneId, LaneModels>;
  readonly #loader: ModelLoader;
  readonly #opened = new Map<LaneId, OpenLane>();
  readonly #warp = new Warp();

  constructor(options: LaneOptions, models: readonly LaneModels[], loader: ModelLoader) {
    this.#options = options;
    this.#models = new Map(models.map((each) => [each.lane, each]));
    this.#loader = loader;
  }

  /** Loads a lane and warms it. */
  async load(lane: LaneId): Promise<void> {
    const entries = this.#models.get(lane);
    assert(entries, `the lane ${lane} is not in the settings`);
    const { detectorChunkMax, faceChunkMax, executionProvider, batchMax } = this.#options;
    const searchesMargin = entries.detector.second === undefined;
    const loadedDetectors: LoadedModel[] = [];
    const detectors: Detector[] = [];
    for (const model of detectorsOf(entries.detector)) {
      const loaded = await this.#loader.load(model, detectorChunkMax);
      loadedDetectors.push(loaded);
      detectors.push(new Detector(loaded.networks, detectorLimits(model), { searchesMargin }));
    }
    const landmarks = await this.#loader.load(entries.landmarks, faceChunkMax);
    const template = alignmentTemplates[entries.landmarks.scheme];
    const recogniser = await this.#loader.load(entries.recogniser, faceChunkMax);
    const chipMap = chipToTemplate(entries.recogniser, template);
    const pipeline = new Pipeline({
      detector: detectors[0]!,
      secondDetector: detectors[1],
      aligner: new Aligner(landmarks.networks.at(-1)!, this.#warp, template),
      embedder: new Embedder(recogniser.networks.at(-1)!, this.#warp, chipMap),
      quality: new QualityMeter(this.#warp, template),
    });
    await warmLoops(pipeline);
    const models = [...loadedDetectors, landmarks, recogniser];
    this.#opened.set(lane, { pipeline, networks: models.flatMap(({ networks }) => networks) });
    // For one face per image, none of them clear at low resolution, all found by the first detector. Drawing
    // between the runs takes little time in comparison.
    const usual = [loadedDetectors[0]!, landmarks, recogniser];
    const runMsOf = (size: number) =>
      usual.reduce((sum, { networks }) => sum + networks.at(-1)!.runMsOf(size), 0);
    const build = laneBuildOf(entries, models, this.#options);
    const sizes = doublingSizes(batchMax);
    this.loaded = this.loaded.concat({
      lane,
      build,
      executionProvider,
      precisions: models.map(({ precision }) => precision),
      sizes: sizes.map((size) => ({ size, runMs: runMsOf(size) })),
    });
  }

  /**
   * Runs the images of a batch. Zeroes everything that its stages have kept of them. If memory did not
   * suffice, the lane has only smaller sizes from then on, until the process ends: the memory that is missing
   * now may be missing again.
   */
  async run({ lane, images }: EngineWork): Promise<RunResult> {
    const open = this.#opened.get(lane);
    assert(open, `the lane ${lane} is not loaded`);
    const clock = startRunClock();
    try {
      const { results, usage } = await open.pipeline.run(images);
      return { results, usage: { ...usage, lane, ...clock() } };
    } catch (error) {
      if (!isOutOfMemory(error)) throw error;
      const sizeMax = this.#removeSizes(lane, images.length);
      throw new Error(
        `out of memory in a batch of ${images.length}; ${lane} takes batches of ${sizeMax} from now on`,
        { cause: error },
      );
    } finally {
      this.#warp.wipe();
      for (const network of open.networks) network.wipe();
    }
  }

  /** Removes the size that `count` images are padded to and larger ones. Returns the largest size left. */
  #removeSizes(lane: LaneId, count: number): number {
    this.loaded = this.loaded.map((each) =>
      each.lane === lane ? { ...each, sizes: sizesBelow(each.sizes, count) } : each,
    );
    return this.loaded.find((each) => each.lane === lane)!.sizes.at(-1)!.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loader[Symbol.asyncDispose]();
  }
}

/** The smallest size always stays: a worker without sizes is useless, and the next image may be smaller. */
function sizesBelow(sizes: LoadedLane["sizes"], count: number): LoadedLane["sizes"] {
  const failed = sizes.find(({ size }) => size >= count);
  return failed === undefined ? sizes : sizes.filter(({ size }, i) => i === 0 || size < failed.size);
}

/**
 * Runs the pipeline as a first request would, so that V8 has compiled its loops: otherwise the first request
 * takes five times as long.
 */
async function warmLoops(pipeline: Pipeline): Promise<void> {
  const px = 512;
  const pixels = syntheticFace(px);
  for (const fullResolution of [false, true, false]) {
    const options = { align: true, enforceDetection: false, facesMax: 1, fullResolution };
    const image = { width: px, height: px, originalWidth: px, originalHeight: px, options };
    await pipeline.run([{ ...image, pixels }]);
  }
}

export type LaneOptions = ModelLoaderOptions & {
  lanes: readonly LaneId[];
  /** Defaults to the catalogue of the models package. */
  catalogueFolder?: string;
  /** The most images of a batch. */
  batchMax: number;
  /** The most images of one run of a detector, whose memory is 50 MB an image. */
  detectorChunkMax: number;
  /** The most faces of one run of a landmark or embedding network. */
  faceChunkMax: number;
};

type OpenLane = { pipeline: Pipeline; networks: readonly Network[] };
