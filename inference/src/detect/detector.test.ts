import assert from "node:assert/strict";
import { test } from "node:test";
import type { Box } from "../geometry/box.ts";
import type { Network, Rows } from "../network/network.ts";
import { Detector, type SearchedImage } from "./detector.ts";

// Networks are stubs here: tested is which image is searched at which resolution. lanes.test.ts has the
// real networks.

test("a face that is clear at low resolution is not searched for again", async () => {
  const { searches, detector } = detectorWith({ 160: 0.9, 288: 0.9, 512: 0.9 });
  const { detections } = await detector.detect([image(), image()]);
  assert.deepEqual(searches, ["160: 2", "288: 0", "512: 0", "512: 0"]);
  assert.deepEqual([detections.length, detections[0]![0]!.score], [2, Math.fround(0.9)]);
});

test("an unclear image goes on to the next resolution, and the last one decides", async () => {
  const { searches, detector } = detectorWith({ 160: 0.79, 288: 0.6, 512: 0.55 });
  const { detections } = await detector.detect([image()]);
  assert.deepEqual(searches, ["160: 1", "288: 1", "512: 1", "512: 0"]);
  assert.equal(detections[0]![0]!.score, Math.fround(0.55));
});

test("a clear face is not enough while another score is unclear", async () => {
  const { searches, detector } = detectorWith({ 160: 0.9, 288: 0.9, 512: 0.9 }, { 160: 0.3, 288: 0.85 });
  const { detections } = await detector.detect([image()]);
  assert.deepEqual(searches, ["160: 1", "288: 1", "512: 0", "512: 0"]);
  assert.equal(detections[0]!.length, 2);
});

for (const [name, options] of [
  ["a call that wants every face is searched at full resolution only", { fullResolution: true }],
  ["without alignment only the full resolution is used: nothing corrects the box", { align: false }],
] as const) {
  test(name, async () => {
    const { searches, detector } = detectorWith({ 160: 0.9, 288: 0.9, 512: 0.6 });
    await detector.detect([image(options), image()]);
    assert.deepEqual(searches, ["160: 1", "288: 0", "512: 1", "512: 0"]);
  });
}

test("an image without detections is searched once more at full resolution", async () => {
  const { searches, detector } = detectorWith({ 160: 0.2, 288: 0.2, 512: 0.2 });
  const { detections } = await detector.detect([image(), image({ fullResolution: true })]);
  assert.deepEqual(searches, ["160: 1", "288: 1", "512: 2", "512: 2"]);
  assert.deepEqual(detections, [[], []]);
});

test("without a search in a margin, an image without detections is searched once", async () => {
  const { searches, detector } = detectorWith({ 512: 0.2 }, {}, undefined, { searchesMargin: false });
  await detector.detect([image()]);
  assert.deepEqual(searches, ["512: 1", "512: 0"]);
});

test("at low resolution alone only what is clear counts", async () => {
  const { searches, detector } = detectorWith({ 160: 0.7, 288: 0.9, 512: 0.9 });
  const wanted = image({ fullResolution: true });
  const { detections, lowResolution } = await detector.detectAtLowResolution([wanted]);
  assert.deepEqual(searches, ["160: 1", "288: 1"]);
  assert.deepEqual([detections[0]!.length, lowResolution], [1, [0]]);
  const unclear = detectorWith({ 160: 0.7, 288: 0.7, 512: 0.9 }).detector;
  assert.deepEqual((await unclear.detectAtLowResolution([wanted])).detections, [[]]);
});

test("landmarks are searched in an enlarged box, no further than the image reaches", async () => {
  const { detector } = detectorWith({ 512: 0.9 }, { 512: 0.9 });
  const { detections } = await detector.detect([image()]);
  const [larger, smaller] = detections[0]!.map(({ landmarkBox }) => rounded(landmarkBox));
  // In unit squares of an image of 64 pixels: 0.2 to 0.5, and 0.6 to 0.8.
  assert.deepEqual(larger, { left: 8, top: 8, right: 36.8, bottom: 36.8 });
  assert.deepEqual(smaller, { left: 35.2, top: 35.2, right: 54.4, bottom: 54.4 });
  const { detector: wide } = detectorWith({ 512: 0.9 }, {}, [0, 0.1, 0.9, 1]);
  const [whole] = (await wide.detect([image()])).detections[0]!;
  assert.deepEqual(rounded(whole!.landmarkBox), { left: 0, top: 0, right: 64, bottom: 64 });
});

/** A detector that finds one face in each image, with a score by resolution, and optionally another one. */
function detectorWith(
  scores: Record<number, number>,
  other: Record<number, number> = {},
  box = [0.2, 0.2, 0.5, 0.5],
  margin = { searchesMargin: true },
) {
  const searches: string[] = [];
  const networks = Object.entries(scores).map(([px, score]) => ({
    px: Number(px),
    async run(count: number, { write, read }: Rows) {
      searches.push(`${px}: ${count}`);
      for (let row = 0; row < count; row++) {
        write(row, new Uint8Array(3 * Number(px) ** 2));
        read(row, (name) =>
          Float32Array.from(
            name === "scores" ? [score, other[Number(px)] ?? 0] : [...box, 0.6, 0.6, 0.8, 0.8],
          ),
        );
      }
      return { name: px, runs: 1, rows: count, paddedRows: 0, runMs: 0 };
    },
  }));
  const clear = { below: 0.1, from: 0.8 };
  const limits = { scoreMin: 0.1, faceScoreMin: 0.5, iouMax: 0.5, clear, landmarkBoxScale: 1.5 };
  return { searches, detector: new Detector(networks as unknown as Network[], limits, margin) };
}

function image({ fullResolution = false, align = true } = {}): SearchedImage {
  return { pixels: new Uint8Array(3 * 64 * 64), width: 64, height: 64, options: { fullResolution, align } };
}

/** Drops the last digits of float32. */
function rounded({ left, top, right, bottom }: Box): Box {
  const round = (position: number) => Number(position.toFixed(3));
  return { left: round(left), top: round(top), right: round(right), bottom: round(bottom) };
}
