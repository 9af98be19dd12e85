import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { builtModel } from "../testing/built.ts";
import { openSamples, samplesCount } from "../testing/images.ts";
import { sampleFaces } from "../testing/sample-faces.ts";
import { readCatalogue } from "./catalogue.ts";
import { inputSides, type Model, type Precision } from "./catalogue-entry.ts";
import { modelsFolder } from "./model-file.ts";
import * as ort from "./onnxruntime.ts";
import { isUnpulled } from "./source.ts";

// The outputs of int8 compared with those of float, on the sample photographs. The bounds are about three
// times what is measured: a layer with a wrong scale, zero point or bias is far beyond them.

suite("int8 agrees with float on photographs", {
  skip: openSamples() === undefined && "sharp is absent",
}, () => {
  test("the detector finds the same clear faces at every input side", async (t) => {
    const ssd = (await readCatalogue()).find("detector", "ssd")!;
    const { from } = ssd.cascade!.clear;
    for (const px of inputSides(ssd)) {
      const images = await wholeSamples(px);
      const [float, int8] = [await run(ssd, "float32", px, images), await run(ssd, "int8", px, images)];
      const clear = [...float["scores"]!.keys()].filter((anchor) => float["scores"]![anchor]! >= from);
      const differences = clear.map((anchor) => {
        const box = (boxes: Float32Array) => boxes.subarray(4 * anchor, 4 * anchor + 4);
        return largestDifference(box(float["boxes"]!), box(int8["boxes"]!));
      });
      const least = Math.min(...clear.map((anchor) => int8["scores"]![anchor]!));
      t.diagnostic(
        `${px} px: ${clear.length} anchors, boxes at most ${Math.max(...differences).toFixed(3)} apart, least score ${least.toFixed(2)}`,
      );
      assert.ok(clear.length > 3 && Math.max(...differences) < 0.03 && least > from - 0.15, `${px} px`);
    }
  });

  for (const [name, differenceMax] of [
    ["Dlib", 0.12],
    ["SFace", 0.3],
  ] as const) {
    test(`embeddings of ${name} differ by far less than its threshold between two people`, async (t) => {
      const model = await modelNamed(name);
      if (isUnpulled(modelsFolder, model.source)) return t.skip("NOT TESTED: its weights are not here");
      const px = model.input_px;
      const chips = await sampleFaces(px);
      const [float, int8] = [await run(model, "float32", px, chips), await run(model, "int8", px, chips)];
      const rows = chips.map((_, row) => {
        const [a, b] = [float, int8].map((outputs) =>
          outputs["embedding"]!.subarray(128 * row, 128 * (row + 1)),
        ) as [Float32Array, Float32Array];
        return Math.hypot(...a.map((number, i) => number - b[i]!));
      });
      t.diagnostic(`at most ${Math.max(...rows).toFixed(3)} (euclidean)`);
      assert.ok(Math.max(...rows) < differenceMax);
    });
  }

  test("no sum saturates, on no CPU", async () => {
    const in32Bits = { extra: { session: { x64quantprecision: "1" } } };
    for (const model of await Promise.all(["ssd", "Dlib", "SFace"].map(modelNamed))) {
      if (isUnpulled(modelsFolder, model.source)) continue;
      const px = inputSides(model)[0]!;
      const images = model.role === "detector" ? await wholeSamples(px) : await sampleFaces(px);
      assert.deepEqual(await run(model, "int8", px, images), await run(model, "int8", px, images, in32Bits));
    }
  });
});

async function run(
  model: Model,
  precision: Precision,
  px: number,
  images: Uint8Array[],
  options?: ort.InferenceSession.SessionOptions,
): Promise<Outputs> {
  const session = await ort.createSession(await builtModel(model, { precision, input_px: px }), options);
  const pixels = new Uint8Array(Buffer.concat(images));
  const image = new ort.Tensor("uint8", pixels, [images.length, px, px, 3]);
  const outputs = await session.run({ image });
  await session.release();
  return Object.fromEntries(Object.entries(outputs).map(([name, { data }]) => [name, data as Float32Array]));
}

function largestDifference(a: Float32Array, b: Float32Array): number {
  return a.reduce((most, number, i) => Math.max(most, Math.abs(number - b[i]!)), 0);
}

async function wholeSamples(px: number): Promise<Uint8Array[]> {
  const samples = openSamples()!;
  return Promise.all(Array.from({ length: samplesCount }, (_, i) => samples.whole(i + 1, px)));
}

async function modelNamed(name: string): Promise<Model> {
  return (await readCatalogue()).models.find((model) => model.name === name)!;
}

type Outputs = Record<string, Float32Array>;
