import assert from "node:assert/strict";
import { test } from "node:test";
import { openMobileFaceNet } from "../../testing/mobilefacenet.ts";
import { openSamples } from "../../testing/pictures.ts";
import { sampleFaces } from "../../testing/sample-faces.ts";
import { readCatalogue } from "../catalogue.ts";
import { modelsFolder } from "../model-file.ts";
import { isUnpulled } from "../source.ts";

// Why the graph is not the published one. conformance.test.ts compares it with the repaired one on tfjs;
// inference/src/engine/mobilefacenet.test.ts shows what each is worth on labelled photographs.

const model = (await readCatalogue()).find("embedding", "MobileFaceNet")!;
const px = model.input_px;
const skip =
  isUnpulled(modelsFolder, model.source) &&
  "NOT TESTED: the weights of MobileFaceNet are not here; npm run models -- pull MobileFaceNet fetches them";

test("batch norms see the means that they were trained with, in the repaired graph and not in the published one", {
  skip: skip || (openSamples() === undefined && "sharp is absent"),
}, async (t) => {
  // The layer after each of these has a batch norm of its own, which takes any shift away again. So nothing
  // has ever pulled their own shift from 0, where training starts, and their outputs have a mean of 0 where
  // the layers before are those of the training.
  const layers = [
    "MobileFaceNet/MobileFaceNet/Conv/BatchNorm/FusedBatchNorm",
    "MobileFaceNet/MobileFaceNet/Conv2d_2_InvResBlock_0/Conv_1/BatchNorm/FusedBatchNorm",
    "MobileFaceNet/Logits/SeparableConv2d/depthwise",
  ];
  const pictures = await sampleFaces(px);
  const shifts = async (state: "as published" | "repaired") => {
    const run = await openMobileFaceNet(model, state);
    return run({ px, pictures }, layers).map((output, i) => medianShift(output, channelsOf[i]!));
  };
  const channelsOf = [64, 64, 512];
  const [repaired, published] = [await shifts("repaired"), await shifts("as published")];
  const shown = (values: number[]) => values.map((value) => value.toFixed(2)).join(", ");
  t.diagnostic(`means over standard deviations: repaired ${shown(repaired)}; published ${shown(published)}`);
  assert.ok(repaired.every((shift) => shift < 1));
  assert.ok(published.every((shift) => shift > 2));
});

/** The median over channels of |mean| / standard deviation. Channels are the fastest axis. */
function medianShift(output: Float32Array, channels: number): number {
  const count = output.length / channels;
  const shifts = new Float64Array(channels);
  for (let channel = 0; channel < channels; channel++) {
    let [sum, squares] = [0, 0];
    for (let i = channel; i < output.length; i += channels) {
      sum += output[i]!;
      squares += output[i]! ** 2;
    }
    const mean = sum / count;
    shifts[channel] = Math.abs(mean) / Math.sqrt(squares / count - mean ** 2);
  }
  return shifts.toSorted()[channels >> 1]!;
}
