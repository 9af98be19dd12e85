import { Aligner } from "@faceline/inference/align/aligner";
import { alignmentTemplates } from "@faceline/inference/align/templates";
import { decodeImage } from "@faceline/inference/decode/decoder";
import { defaultImageLimits } from "@faceline/inference/decode/image";
import { Detector, detectorLimits } from "@faceline/inference/detect/detector";
import { chipToTemplate, Embedder } from "@faceline/inference/embed/embedder";
import { Pipeline } from "@faceline/inference/engine/pipeline";
import { Warp } from "@faceline/inference/geometry/warp";
import { tensorNames } from "@faceline/inference/network/model-loader";
import { Network } from "@faceline/inference/network/network";
import type { DetectorModel, EmbeddingModel, Model, ModelOf } from "@faceline/models/catalogue-entry";
import { convert } from "@faceline/models/convert/networks";
import * as ort from "@faceline/models/onnxruntime";
import sharp from "sharp";

/** Records the inputs of an embedding network, from the pipeline of the service in float32. */
class Crops {
  readonly all: readonly Uint8Array[];
  readonly #pipeline: Pipeline;

  constructor(pipeline: Pipeline, all: readonly Uint8Array[]) {
    this.#pipeline = pipeline;
    this.all = all;
  }

  /** Runs an image and variations of it. Throws for an image that cannot be decoded. */
  async add(bytes: Uint8Array): Promise<void> {
    const options = { align: true, enforceDetection: false, facesMax: 100, fullResolution: true };
    for (const vary of variations) {
      const image = await decodeImage(await vary(bytes), defaultImageLimits);
      if (image.kind === "rejected") throw new Error(`an image cannot be read: ${image.code}`);
      await this.#pipeline.run([{ ...image, options }]);
    }
  }
}

export async function openCrops(
  detector: DetectorModel,
  landmarks: ModelOf<"landmarks">,
  embedding: EmbeddingModel,
): Promise<Crops> {
  const crops: Uint8Array[] = [];
  const warp = new Warp();
  const template = alignmentTemplates[landmarks.scheme];
  const recording = await open(embedding, (crop) => crops.push(crop));
  const pipeline = new Pipeline({
    detector: new Detector([await open(detector)], detectorLimits(detector)),
    aligner: new Aligner(await open(landmarks), warp, template),
    embedder: new Embedder(recording, warp, chipToTemplate(embedding, template)),
  });
  return new Crops(pipeline, crops);
}

/** A network that passes its inputs to `keep`, except for those of its warming. */
async function open(model: Model, keep: (crop: Uint8Array) => void = () => {}): Promise<Network> {
  const session = await ort.createSession(
    await convert(model, { precision: "float32", input_px: model.input_px }),
  );
  let warm = false;
  const run = (feeds: Record<string, ort.Tensor>) => {
    if (warm) keep((Object.values(feeds)[0]!.data as Uint8Array).slice());
    return session.run(feeds);
  };
  const recording = { run, release: () => session.release() } as unknown as ort.InferenceSession;
  const network = await Network.open(
    { name: model.name, px: model.input_px, tensors: tensorNames(model) },
    recording,
    [1],
  );
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
