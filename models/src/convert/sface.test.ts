import assert from "node:assert/strict";
import { test } from "node:test";
import { builtModel } from "../../testing/built.ts";
import { sampleFaces } from "../../testing/sample-faces.ts";
import { readCatalogue } from "../catalogue.ts";
import { cosineDistance, goldenFaces } from "../golden.ts";
import { modelsFolder } from "../model-file.ts";
import { withoutBlocks } from "../onnx/blocks.ts";
import * as ort from "../onnxruntime.ts";
import { isUnpulled, readWheelSource } from "../source.ts";

const model = (await readCatalogue()).find("embedding", "SFace")!;
const { source, input_px: px } = model;
assert(source.kind === "wheel_onnx");
const skip =
  isUnpulled(modelsFolder, source) &&
  "NOT TESTED: the weights of SFace are not here; npm run models -- pull SFace fetches them";

test("batches get the embeddings that OpenCV's own graph gives one by one, of length 1", {
  skip,
}, async () => {
  const faces = [...goldenFaces(px), ...(await sampleFaces(px)).slice(0, 2)];
  const theirs = await ort.createSession(withoutBlocks(await readWheelSource(modelsFolder, model, source)));
  const ours = await ort.createSession(await builtModel(model, { precision: "float32", input_px: px }));
  const image = new ort.Tensor("uint8", Buffer.concat(faces), [faces.length, px, px, 3]);
  const embeddings = (await ours.run({ image }))["embedding"]!.data as Float32Array;
  for (const [i, face] of faces.entries()) {
    const planes = Float32Array.from(
      { length: face.length },
      (_, at) => face[3 * (at % px ** 2) + Math.floor(at / px ** 2)]!,
    );
    const { fc1 } = await theirs.run({ data: new ort.Tensor("float32", planes, [1, 3, px, px]) });
    const embedding = embeddings.subarray(128 * i, 128 * (i + 1));
    assert.ok(cosineDistance(embedding, fc1!.data as Float32Array) < 1e-6);
    assert.ok(Math.abs(Math.hypot(...embedding) - 1) < 1e-6);
  }
  await theirs.release();
  await ours.release();
});
