import assert from "node:assert/strict";
import test from "node:test";
import { decodingCost } from "./decoding-cost.ts";

test("a photograph as telephones take them, of 12 megapixels and 2 MiB, takes ten units of 10 ms", () => {
  // Measured: 104 to 144 ms of CPU. By its pixels alone it counted 60 ms.
  assert.equal(decodingCost(jpeg(4_000, 3_000), 2 * 1_048_576), 10);
});

test("a usual photograph costs 1, and the same with more bytes costs more", () => {
  assert.equal(decodingCost(jpeg(1_600, 1_200), 190_000), 1);
  assert.equal(decodingCost(jpeg(1_600, 1_200), 890_000), 3);
});

test("a progressive JPEG takes its bytes several times", () => {
  const costs = [690_000, 2_870_000].map((bytes) => decodingCost(jpeg(4_000, 3_000, true), bytes));
  assert.deepEqual(costs, [14, 22]);
});

test("an AVIF takes ten times as long as a JPEG of its size, and longer with 10 bits or alpha", () => {
  // Measured: 626, 764, 1,165 and 1,416 ms of CPU for 12 megapixels.
  const avif = {
    format: "avif",
    width: 4_000,
    height: 3_000,
    bytesPerSample: 1,
    samplesPerPixel: 1.5,
    hasAlpha: false,
  } as const;
  const costs = [
    {},
    { samplesPerPixel: 3 },
    { samplesPerPixel: 3, bytesPerSample: 2 as const },
    { samplesPerPixel: 3, hasAlpha: true },
  ].map((each) => decodingCost({ ...avif, ...each }, 400_000));
  assert.deepEqual(costs, [74, 89, 143, 150]);
});

const jpeg = (width: number, height: number, severalScans = false) => ({
  format: "jpeg" as const,
  width,
  height,
  components: 3,
  samplesPerPixel: 1.5,
  severalScans,
});
