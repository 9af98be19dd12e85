import type { DetectorModel, Model } from "@faceline/models/catalogue";
import { convert } from "@faceline/models/convert/networks";
import * as ort from "@faceline/models/onnxruntime";
import sharp from "sharp";
import { Aligner } from "../align/aligner.ts";
import { Warp } from "../align/warp.ts";
import { decodePicture } from "../decode/decoder.ts";
import { pictureLimits } from "../decode/picture.ts";
import { Detector, limitsOf } from "../detect/detector.ts";
import { Embedder } from "../embed/embedder.ts";
import { Network } from "../engine/network.ts";
import { Pipeline } from "../engine/pipeline.ts";

/** What the landmark and the embedding network are shown of pictures, by the pipeline that serves calls, in float32. */
export class Crops {
  readonly #pipeline: Pipeline;
  readonly #crops: ReadonlyMap<Model, Uint8Array[]>;

  constructor(pipeline: Pipeline, crops: ReadonlyMap<Model, Uint8Array[]>) {
    this.#pipeline = pipeline;
    this.#crops = crops;
  }

  /** As it is, and as other cameras might have taken it. Throws for a picture that cannot be read. */
  async look(bytes: Uint8Array): Promise<void> {
    const options = { align: true, enforceDetection: false, facesMax: 100, fullResolution: true };
    for (const vary of variations) {
      const picture = await decodePicture(await vary(bytes), pictureLimits);
      if (picture.kind === "rejected") throw new Error(`a picture cannot be read: ${picture.code}`);
      await this.#pipeline.run([{ ...picture, options }]);
    }
  }

  of(model: Model): readonly Uint8Array[] {
    return this.#crops.get(model)!;
  }
}

export async function openCrops(detector: DetectorModel, landmarks: Model, embedding: Model): Promise<Crops> {
  const crops = new Map<Model, Uint8Array[]>([landmarks, embedding].map((model) => [model, []]));
  const warp = new Warp();
  const pipeline = new Pipeline({
    detector: new Detector([await open(detector, () => {})], limitsOf(detector)),
    aligner: new Aligner(await open(landmarks, (crop) => crops.get(landmarks)!.push(crop)), warp),
    embedder: new Embedder(await open(embedding, (crop) => crops.get(embedding)!.push(crop)), warp),
    residualMaxPx: 6,
  });
  return new Crops(pipeline, crops);
}

/** A network that tells what it is shown, but for what it is warmed with. */
async function open(model: Model, keep: (crop: Uint8Array) => void): Promise<Network> {
  const session = await ort.InferenceSession.create(
    await convert(model, { precision: "float32", input_px: model.input_px }),
  );
  let warm = false;
  const run = (feeds: { image: ort.Tensor }) => {
    if (warm) keep((feeds.image.data as Uint8Array).slice());
    return session.run(feeds);
  };
  const telling = { run, release: () => session.release() } as unknown as ort.InferenceSession;
  const network = await Network.open({ name: model.name, px: model.input_px }, telling, [1]);
  warm = true;
  return network;
}

const variations: readonly ((bytes: Uint8Array) => Promise<Uint8Array>)[] = [
  async (bytes) => bytes,
  (bytes) => sharp(bytes).flop().png().toBuffer(),
  (bytes) => sharp(bytes).linear(0.5).png().toBuffer(),
  (bytes) => sharp(bytes).linear(1.5).png().toBuffer(),
  (bytes) => sharp(bytes).rotate(15).png().toBuffer(),
  (bytes) => sharp(bytes).rotate(-15).png().toBuffer(),
];
