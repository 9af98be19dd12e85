import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import sharp from "sharp";
import { sizedJpeg } from "./sized-jpeg.ts";

const photograph = readFileSync(join(import.meta.dirname, "../../../web/src/samples/ada-1.jpg"));

for (const [bytes, pixels] of [
  [40_000, 327_680],
  [41_003, 90_000],
  [300_000, 100_000],
  [2_097_152, 1_000_000],
] as const) {
  test(`an image of ${bytes} bytes and ${pixels} pixels has both`, async () => {
    const jpeg = await sizedJpeg(photograph, { bytes, pixels });
    assert.equal(jpeg.length, bytes);
    const { width, height } = await sharp(jpeg).metadata();
    assert.ok(Math.abs((width * height) / pixels - 1) < 0.02, `${width} x ${height}`);
  });
}

test("every number of bytes above the photograph's own can be met, also just above a full comment", async () => {
  const { length } = await sizedJpeg(photograph, { bytes: 1, pixels: 90_000 });
  for (const more of [4, 5, 65_536, 65_537, 65_538, 65_540, 65_541, 131_075]) {
    const jpeg = await sizedJpeg(photograph, { bytes: length + more, pixels: 90_000 });
    assert.equal(jpeg.length, length + more, `${more} bytes more`);
  }
});

test("an image is progressive where the photograph is", async () => {
  const baseline = await sharp(photograph).jpeg().toBuffer();
  for (const [source, expected] of [
    [photograph, true],
    [baseline, false],
  ] as const) {
    const { isProgressive } = await sharp(
      await sizedJpeg(source, { bytes: 40_000, pixels: 90_000 }),
    ).metadata();
    assert.equal(isProgressive, expected);
  }
});

test("a photograph that does not fit is larger than it should be, and not refused", async () => {
  const jpeg = await sizedJpeg(photograph, { bytes: 100, pixels: 327_680 });
  assert.ok(jpeg.length > 100 && (await sharp(jpeg).metadata()).width > 0);
});
