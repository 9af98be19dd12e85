import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { readCatalogue } from "@faceline/models/catalogue";
import { modelsFolder } from "@faceline/models/model-file";
import * as ort from "@faceline/models/onnxruntime";
import { isUnpulled } from "@faceline/models/source";
import { openMobileFaceNet } from "@faceline/models/testing/mobilefacenet";
import { distances } from "../../testing/distances.ts";
import { largestFace } from "../../testing/largest-face.ts";
import {
  builtModels,
  labelledNames,
  labelledPairs,
  labelledPhotograph,
  labelledPhotographsMissing,
} from "../../testing/photographs.ts";
import { Aligner } from "../align/aligner.ts";
import { alignmentTemplates } from "../align/templates.ts";
import { decodeImage } from "../decode/decoder.ts";
import { defaultImageLimits } from "../decode/image.ts";
import { Detector, detectorLimits } from "../detect/detector.ts";
import { chipToTemplate, Embedder } from "../embed/embedder.ts";
import { fitSimilarity, meanOf } from "../geometry/similarity.ts";
import { Warp } from "../geometry/warp.ts";
import { ModelLoader, tensorNames } from "../network/model-loader.ts";
import { Network } from "../network/network.ts";
import { PrecisionSetting } from "../network/precision.ts";
import { Pipeline } from "./pipeline.ts";

// What MobileFaceNet is worth on the labelled photographs, repaired and as it was published, and its chip.

const catalogue = await readCatalogue();
const model = catalogue.find("embedding", "MobileFaceNet")!;
const skip =
  labelledPhotographsMissing ||
  (isUnpulled(modelsFolder, model.source) &&
    "NOT TESTED: the weights of MobileFaceNet are not here; npm run models -- pull MobileFaceNet fetches them");

test("its chip is ArcFace's, fitted to dlib's mean face by eyes, nose and corners of the mouth", () => {
  const { fitted, points, rightEye, leftEye } = alignmentTemplates.ibug_68;
  const at = (landmark: number) => points[fitted.indexOf(landmark)]!;
  const [noseTip, rightCorner, leftCorner] = [30, 48, 54].map(at);
  const eyes = [rightEye, leftEye].map((eye) => meanOf(eye.map(at)));
  const five = [...eyes, noseTip!, rightCorner!, leftCorner!];
  const expected = fitSimilarity(alignmentTemplates.five_point.points, five);
  for (const [name, value] of Object.entries(chipToTemplate(model, alignmentTemplates.ibug_68))) {
    assert.ok(Math.abs(value - expected[name as keyof typeof expected]) < 1e-4, name);
  }
});

suite("on 300 labelled pairs", { skip }, () => {
  test("the threshold separates all of them, with room on both sides", async (t) => {
    const { same, different } = await labelledDistances();
    const [furthest, nearest] = [Math.max(...same), Math.min(...different)];
    t.diagnostic(`cosine: same up to ${furthest.toFixed(4)}, different from ${nearest.toFixed(4)}`);
    assert.ok(furthest < model.thresholds.cosine - 0.02 && nearest > model.thresholds.cosine + 0.05);
  });

  test("the published graph tells nobody apart", async (t) => {
    const tfjs = await openMobileFaceNet(model, "as published");
    const { same, different } = await labelledDistances((chip) => {
      const [embedding] = tfjs({ px: model.input_px, images: [chip] }, ["embeddings"]);
      return embedding!;
    });
    const right = Math.max(
      ...[...same, ...different].map(
        (threshold) =>
          same.filter((distance) => distance <= threshold).length +
          different.filter((distance) => distance > threshold).length,
      ),
    );
    t.diagnostic(`${right} of 300 at the best threshold`);
    t.diagnostic(`largest cosine distance: ${Math.max(...different).toFixed(4)}`);
    // 262 pairs show different people, so saying "different" to everything is right in 262.
    assert.ok(right < 280);
    assert.ok(Math.max(...different) < model.thresholds.cosine / 100);
  });
});

/**
 * Cosine distances of the labelled pairs, by the pipeline of the service. `embed` takes the place of the
 * converted network.
 */
async function labelledDistances(embed?: (chip: Uint8Array) => Float32Array) {
  const session = { executionProvider: "cpu", intraOpThreads: 1 } as const;
  const precision = PrecisionSetting.parse("auto");
  await using loader = new ModelLoader(catalogue, { modelsDir: await builtModels(), precision, ...session });
  const [ssd, landmarks] = [
    catalogue.find("detector", "ssd")!,
    catalogue.find("landmarks", model.landmarks)!,
  ];
  const [template, warp] = [alignmentTemplates[landmarks.scheme], new Warp()];
  const detector = new Detector((await loader.load(ssd, 1)).networks, detectorLimits(ssd));
  const points = (await loader.load(landmarks, 1)).networks.at(-1)!;
  const network = embed ? await networkOf(embed) : (await loader.load(model, 1)).networks.at(-1)!;
  const pipeline = new Pipeline({
    detector,
    aligner: new Aligner(points, warp, template),
    embedder: new Embedder(network, warp, chipToTemplate(model, template)),
  });
  const embeddings = new Map<string, Float32Array>();
  for (const name of labelledNames()) {
    const image = await decodeImage(labelledPhotograph(name), defaultImageLimits);
    assert.ok(image.kind !== "rejected");
    embeddings.set(name, (await largestFace(image, pipeline))!.embedding);
  }
  const distancesOf = (person: boolean) =>
    labelledPairs()
      .filter(({ same }) => same === person)
      .map(({ left, right }) => distances.cosine(embeddings.get(left)!, embeddings.get(right)!));
  return { same: distancesOf(true), different: distancesOf(false) };
}

/** A function in the place of the network of the catalogue. */
function networkOf(embed: (chip: Uint8Array) => Float32Array): Promise<Network> {
  const run = async (feeds: Record<string, ort.Tensor>) => {
    const numbers = Float32Array.from(embed(feeds["image"]!.data as Uint8Array));
    return { embedding: new ort.Tensor("float32", numbers, [1, model.embedding_size]) };
  };
  const session = { run, release: async () => {} } as unknown as ort.InferenceSession;
  return Network.open({ name: model.name, px: model.input_px, tensors: tensorNames(model) }, session, [1]);
}
