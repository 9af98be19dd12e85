import assert from "node:assert/strict";
import { test } from "node:test";
import { Graph } from "../onnx/graph.ts";
import * as ort from "../onnxruntime.ts";
import { FloatLayers } from "./layers/float.ts";

const slopes = [0.25, -0.5, 0, 1, 3];
const numbers = [-2, -1, 0, 1.5];

test("a PReLU between two layers gives slope * x below zero and x above, also for slopes above 1", async () => {
  const outputs = await run((layers, image) => {
    // Each channel reads the red of the image, and sums the channels' outputs apart.
    const spread = { shape: [1, 1, 3, 5], data: Float32Array.from({ length: 15 }, (_, i) => +(i < 5)) };
    const identity = {
      shape: [1, 1, 5, 5],
      data: Float32Array.from({ length: 25 }, (_, i) => +(i % 6 === 0)),
    };
    const activated = layers.convolution("before", image, { filter: spread, slopes });
    return layers.convolution("after", activated, { filter: identity });
  });
  const expected = slopes.flatMap((slope) => numbers.map((x) => (x < 0 ? Math.fround(slope) * x : x)));
  for (const [i, value] of expected.entries()) {
    assert.ok(Math.abs(outputs[i]! - value) < 1e-6, `${i}: ${outputs[i]} instead of ${value}`);
  }
});

/** Runs layers on an image of 2 x 2 pixels, whose red is `numbers`. */
async function run(
  write: (layers: FloatLayers, image: { name: string; channels: number; px: number }) => { name: string },
): Promise<Float32Array> {
  const graph = new Graph("test");
  const layers = new FloatLayers(graph);
  const image = layers.image(2, { mean: [100, 100, 100], factor: 0.5 });
  graph.output(write(layers, image).name, "float32", ["N", 5, 2, 2]);
  const session = await ort.createSession(graph.encode({}));
  const pixels = Uint8Array.from(numbers.flatMap((x) => [100 + 2 * x, 0, 0]));
  const [output] = Object.values(await session.run({ image: new ort.Tensor("uint8", pixels, [1, 2, 2, 3]) }));
  await session.release();
  return output!.data as Float32Array;
}
