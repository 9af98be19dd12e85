import assert from "node:assert/strict";
import type { Lane } from "@faceline/contracts/ids";
import type { LoadedLane } from "@faceline/contracts/report";
import {
  type Catalogue,
  type Model,
  type Precision,
  readCatalogue,
  type Role,
} from "@faceline/models/catalogue";
import { readModel } from "@faceline/models/model-file";
import { Aligner } from "../align/aligner.ts";
import { Warp } from "../align/warp.ts";
import { Detector } from "../detect/detector.ts";
import { Embedder } from "../embed/embedder.ts";
import { Network } from "./network.ts";
import { Pipeline } from "./pipeline.ts";
import { checkPlacement } from "./placement.ts";
import { type ExecutionProvider, openSession } from "./provider.ts";
import type { EngineWork, RunFacts, TaskResult } from "./work.ts";

/**
 * Loads and warms lanes in the calling thread, which their runs will block: a service opens an engine instead, which
 * does this in a thread of its own. A benchmark compares the service with these bare.
 */
export async function openLanes(options: LaneOptions): Promise<Lanes> {
  const catalogue = await readCatalogue();
  await using stack = new AsyncDisposableStack();
  const networks = new Map<string, Network>();
  const load = async (role: Role, name: string, chunkMax: number): Promise<Network> => {
    const model = find(catalogue, role, name);
    const loaded = networks.get(model.name) ?? stack.use(await openNetwork(model, chunkMax, options));
    networks.set(model.name, loaded);
    return loaded;
  };

  const warp = new Warp();
  const opened = new Map<Lane, OpenLane>();
  for (const lane of options.lanes) {
    const [embedding = "", detector = ""] = lane.split("/");
    const eye = await load("detector", detector, options.detectorChunkMax);
    const landmarks = await load("landmarks", LANDMARKS, options.faceChunkMax);
    const embedder = await load("embedding", embedding, options.faceChunkMax);
    const { score_min: scoreMin, overlap_max: overlapMax } = catalogue.find("detector", detector)!.selection;
    const aligner = new Aligner(landmarks, warp);
    const pipeline = new Pipeline({
      detector: new Detector(eye, { scoreMin, overlapMax }),
      aligner,
      embedder: new Embedder(embedder, warp),
      residualMaxPx: options.residualMaxPx,
    });
    opened.set(lane, { pipeline, networks: [eye, landmarks, embedder] });
    await warmLoops(pipeline, aligner);
  }
  return new Lanes(options, opened, warp, stack.move());
}

/** The lanes that are loaded. One run at a time. */
export class Lanes implements AsyncDisposable {
  readonly loaded: LoadedLane[];
  readonly #opened: ReadonlyMap<Lane, OpenLane>;
  readonly #warp: Warp;
  readonly #resources: AsyncDisposableStack;

  constructor(
    options: LaneOptions,
    opened: ReadonlyMap<Lane, OpenLane>,
    warp: Warp,
    resources: AsyncDisposableStack,
  ) {
    this.#opened = opened;
    this.#warp = warp;
    this.#resources = resources;
    this.loaded = [...opened].map(([lane, { networks }]) => ({
      lane,
      executionProvider: options.executionProvider,
      precision: PRECISION,
      sizes: batchSizes(options.batchMax).map((size) => ({
        size,
        // One face a picture. What is drawn between the runs is small beside them.
        runMs: networks.reduce((sum, network) => sum + network.runMsOf(size), 0),
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

  #takeFacts(lane: Lane, { pipeline, networks }: OpenLane, runMs: number): RunFacts {
    const own = networks.map((network) => network.takeFacts());
    return { ...pipeline.takeFacts(), lane, runMs, networks: own };
  }
}

async function openNetwork(model: Model, chunkMax: number, options: LaneOptions): Promise<Network> {
  const bytes = await readModel(options.modelsDir, model, PRECISION);
  const source = { name: model.name, px: model.input_px };
  const sizes = model.batch_buckets.filter((size) => size <= chunkMax);
  const { executionProvider, intraOpThreads } = options;
  if (executionProvider !== "cpu") await checkPlacement(bytes, source, { executionProvider, intraOpThreads });
  return Network.open(source, await openSession(bytes, { executionProvider, intraOpThreads }), sizes);
}

function find(catalogue: Catalogue, role: Role, name: string): Model {
  const model = catalogue.find(role, name);
  if (model !== undefined) return model;
  const known = catalogue.all(role).map((each) => each.name);
  throw new Error(`there is no ${role} model ${name}, only ${known.join(", ")}`);
}

/** 1, 2, 4 … and the largest batch itself. */
export function batchSizes(batchMax: number): number[] {
  const sizes: number[] = [];
  for (let size = 1; size < batchMax; size *= 2) sizes.push(size);
  return [...sizes, batchMax];
}

/**
 * Draws what a first request would, so that it does not pay for loops which nothing has compiled yet: without it the
 * first picture takes five times as long.
 */
async function warmLoops(pipeline: Pipeline, aligner: Aligner): Promise<void> {
  const [width, height] = [640, 480];
  const pixels = Uint8Array.from({ length: 3 * width * height }, (_, i) => (i * 7) & 255);
  const options = { align: true, enforceDetection: false, facesMax: 1 };
  const picture = { pixels, width, height, originalWidth: width, originalHeight: height, options };
  for (let time = 0; time < 3; time++) {
    await pipeline.run([picture]);
    await aligner.align([{ picture, box: { left: 100, top: 50, right: 400, bottom: 400 } }]);
  }
}

const LANDMARKS = "landmarks-68";
const PRECISION: Precision = "float32";

export type LaneOptions = {
  /** Where the built models lie. */
  modelsDir: string;
  lanes: readonly Lane[];
  executionProvider: ExecutionProvider;
  /** Threads inside one run. Workers times threads should not exceed the free cores. */
  intraOpThreads: number;
  /** The most pictures of a batch. */
  batchMax: number;
  /** The most pictures of one run of a detector, whose memory is 50 MB a picture. */
  detectorChunkMax: number;
  /** The most faces of one run of a landmark or embedding network. */
  faceChunkMax: number;
  /** Landmarks further from the mean face, in pixels of the chip, are no face. */
  residualMaxPx: number;
};

type OpenLane = { pipeline: Pipeline; networks: readonly Network[] };
