import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { builtModel } from "../testing/built.ts";
import { openSamples, samplesCount } from "../testing/pictures.ts";
import { readCatalogue } from "./catalogue.ts";
import { inputSides, type Model, type Precision } from "./catalogue-entry.ts";
import * as ort from "./onnxruntime.ts";

// The outputs of int8 compared with those of float, on the sample photographs. The bounds are about three
// times what is measured: a layer with a wrong scale, zero point or bias is far beyond them.

suite("int8 agrees with float on photographs", {
  skip: openSamples() === undefined && "sharp is absent",
}, () => {
  test("the detector finds the same clear faces at every input side", async (t) => {
    const ssd = (await readCatalogue()).find("detector", "ssd")!;
    const { from } = ssd.cascade!.clear;
    for (const px of inputSides(ssd)) {
      const pictures = await wholeSamples(px);
      const [float, int8] = [await run(ssd, "float32", px, pictures), await run(ssd, "int8", px, pictures)];
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

  test("landmarks differ by less than 4 px of the crop", async (t) => {
    const landmarks = await modelNamed("landmarks-68");
    const [float, int8] = await both(landmarks, await crops(landmarks.input_px));
    const apart = largestDifference(float["points"]!, int8["points"]!) * landmarks.input_px;
    t.diagnostic(`at most ${apart.toFixed(2)} px`);
    assert.ok(apart < 4);
  });

  test("embeddings differ by less than a fifth of the threshold between two people", async (t) => {
    const dlib = await modelNamed("Dlib");
    const chips = await crops(dlib.input_px);
    const [float, int8] = await both(dlib, chips);
    const rows = chips.map((_, row) => {
      const [a, b] = [float, int8].map((outputs) =>
        outputs["embedding"]!.subarray(128 * row, 128 * (row + 1)),
      ) as [Float32Array, Float32Array];
      return Math.hypot(...a.map((number, i) => number - b[i]!));
    });
    t.diagnostic(`at most ${Math.max(...rows).toFixed(3)} (euclidean)`);
    assert.ok(Math.max(...rows) < 0.12);
  });
});

async function both(model: Model, pictures: Uint8Array[]): Promise<[Outputs, Outputs]> {
  const px = model.input_px;
  return [await run(model, "float32", px, pictures), await run(model, "int8", px, pictures)];
}

async function run(model: Model, precision: Precision, px: number, pictures: Uint8Array[]): Promise<Outputs> {
  // Without it sums are clipped on an x64 CPU without VNNI; with it they are right, and the same, on every
  // one.
  const exact = { extra: { session: { x64quantprecision: "1" } } };
  const session = await ort.createSession(await builtModel(model, { precision, input_px: px }), exact);
  const image = new ort.Tensor("uint8", new Uint8Array(Buffer.concat(pictures)), [
    pictures.length,
    px,
    px,
    3,
  ]);
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

/** The face with the best score in each sample. */
async function crops(px: number): Promise<Uint8Array[]> {
  const boxes = await (bestBoxes ??= findBestBoxes());
  return Promise.all(boxes.map((box, i) => openSamples()!.crop(i + 1, box, px)));
}

/** Two tests cut faces out at the same boxes. */
let bestBoxes: Promise<Box[]> | undefined;

async function findBestBoxes(): Promise<Box[]> {
  const ssd = await modelNamed("ssd");
  const pictures = await wholeSamples(ssd.input_px);
  const { boxes, scores } = await run(ssd, "float32", ssd.input_px, pictures);
  const anchors = scores!.length / pictures.length;
  return pictures.map((_, picture) => {
    const ofPicture = scores!.subarray(anchors * picture, anchors * (picture + 1));
    const best = anchors * picture + ofPicture.indexOf(Math.max(...ofPicture));
    const [top = 0, left = 0, bottom = 0, right = 0] = boxes!.subarray(4 * best, 4 * best + 4);
    return [top, left, bottom, right];
  });
}

async function modelNamed(name: string): Promise<Model> {
  return (await readCatalogue()).models.find((model) => model.name === name)!;
}

/** Top, left, bottom and right, as shares of the picture. */
type Box = [number, number, number, number];
type Outputs = Record<string, Float32Array>;
