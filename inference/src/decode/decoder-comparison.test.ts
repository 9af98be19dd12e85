import assert from "node:assert/strict";
import { test } from "node:test";
import sharp from "sharp";
import { DecoderComparison } from "../../testing/compare-decoders.ts";
import {
  notPlain,
  thinSizes,
  truncated,
  withDoubtfulExif,
  withDoubtfulSegments,
  withEncodings,
  withOrientations,
  withPlainExif,
  withPlainSegments,
  withSubsamplings,
} from "../../testing/image-cases.ts";
import { patched } from "../../testing/jpeg-cases.ts";
import {
  groupPhotograph,
  labelledNames,
  labelledPhotograph,
  labelledPhotographsMissing,
} from "../../testing/photographs.ts";
import type { Image } from "./image.ts";

// An image is decoded by libjpeg-turbo or by libvips. Both must give the same code, or an image of the same
// size and orientation with almost the same pixels. The number of images of each decoder is asserted too,
// because otherwise all could go to one of them unnoticed.

test("photographs with a long side at the limit, and just above it", async (t) => {
  const comparison = new DecoderComparison({ longSideMaxPx: 1600 });
  for (let number = 1; number <= 6; number++) {
    for (const side of [1600, 1601]) {
      const bytes = await sharp(groupPhotograph(number)).resize(side).jpeg().toBuffer();
      await comparison.compare({ name: `group ${number}, ${side}`, bytes });
    }
  }
  comparison.diagnose(t);
  assert.deepEqual(comparison.counts, { all: 12, turbo: 6, rejected: 0 });
});

test("whole labelled photographs: those that are not shrunk go to libjpeg-turbo", {
  skip: labelledPhotographsMissing,
}, async (t) => {
  const comparison = new DecoderComparison();
  for (const name of labelledNames()) await comparison.compare({ name, bytes: labelledPhotograph(name) });
  comparison.diagnose(t);
  assert.equal(comparison.counts.rejected, 0);
  assert.ok(comparison.counts.turbo > comparison.counts.all / 2);
});

test("every orientation and size, baseline and progressive, with whole and partial blocks", async (t) => {
  const comparison = new DecoderComparison();
  const sizes = [
    [16, 16],
    [17, 31],
    [64, 48],
    [63, 200],
    [257, 129],
    [640, 481],
  ] as const;
  for await (const image of withOrientations(photograph, sizes)) await comparison.compare(image);
  comparison.diagnose(t);
  assert.deepEqual(comparison.counts, { all: 96, turbo: 96, rejected: 0 });
});

test("every chroma subsampling, with sides that end anywhere in a block", async (t) => {
  const comparison = new DecoderComparison();
  const sizes = Array.from({ length: 18 }, (_, i) => [16 + i, 33 - i] as const);
  for await (const image of withSubsamplings(photograph, sizes)) await comparison.compare(image);
  comparison.diagnose(t);
  // 4:4:0 is unusual.
  assert.deepEqual(comparison.counts, { all: 72, turbo: 54, rejected: 0 });
});

test("single rows and columns", async () => {
  const comparison = new DecoderComparison({ sideMinPx: 1 });
  for await (const image of withOrientations(photograph, thinSizes, [{}])) await comparison.compare(image);
  assert.deepEqual(comparison.counts, { all: 48, turbo: 48, rejected: 0 });
});

test("every quality and encoding, grey, and with a colour profile", async (t) => {
  const comparison = new DecoderComparison();
  for await (const image of withEncodings(await photograph(150, 110))) await comparison.compare(image);
  comparison.diagnose(t);
  assert.deepEqual(comparison.counts, { all: 54, turbo: 54, rejected: 0 });
});

test("an image that is no plain JPEG goes to libvips", async () => {
  const comparison = new DecoderComparison();
  for await (const image of notPlain(await photograph(60, 50))) await comparison.compare(image);
  assert.equal(comparison.counts.turbo, 0);
});

test("limits and error codes are the same", async () => {
  const comparison = new DecoderComparison({ pixelsMax: 5_000, sideMinPx: 20, longSideMaxPx: 90 });
  for (const [width, height] of [
    [19, 80],
    [20, 80],
    [80, 19],
    [80, 62],
    [80, 63],
    [91, 50],
    [250, 20],
    [251, 20],
  ] as const) {
    const upright = await photograph(width, height);
    for (const orientation of [1, 3, 6]) {
      for (const progressive of [false, true]) {
        const bytes = await sharp(upright).jpeg({ progressive }).withMetadata({ orientation }).toBuffer();
        await comparison.compare({ name: `${width} x ${height}`, bytes });
        await comparison.compare({ name: `${width} x ${height}, cut`, bytes: bytes.subarray(0, -40) });
        await comparison.compare({
          name: `${width} x ${height}, bad table`,
          bytes: patched(bytes, 0xc4, 4, 0x33),
        });
      }
    }
  }
  assert.equal(comparison.counts.all, 144);
  // 20 x 80 and 80 x 62, whole, and 80 x 63 of one scan.
  assert.equal(comparison.counts.turbo, 15);
});

test("a JPEG that is truncated anywhere is rejected", async () => {
  const comparison = new DecoderComparison();
  for await (const image of truncated(await photograph(120, 90))) await comparison.compare(image);
  assert.equal(comparison.counts.turbo, 0);
  assert.equal(comparison.counts.rejected, comparison.counts.all);
});

test("EXIF, also malformed, goes to libjpeg-turbo, and is read as libvips reads it", async () => {
  const comparison = new DecoderComparison();
  const jpeg = await jpegOf(40, 30);
  const images = [...withPlainExif(jpeg), ...withDoubtfulExif(jpeg)];
  for (const image of images) {
    await comparison.compare(image);
    const { autoOrient } = await sharp(image.bytes).metadata();
    const { originalWidth } = (await comparison.decode(image.bytes)).actual as Image;
    assert.equal(originalWidth, autoOrient.width, image.name);
  }
  assert.equal(comparison.counts.turbo, 2 * images.length);
});

test("segments in unusual positions, numbers and lengths", async () => {
  const comparison = new DecoderComparison({ sideMinPx: 8 });
  const jpeg = await jpegOf(64, 40);
  const plain = withPlainSegments(jpeg, await jpegOf(20, 20));
  for (const image of plain) await comparison.compare(image);
  assert.equal(comparison.counts.turbo, plain.length);
  for (const image of withDoubtfulSegments(jpeg)) await comparison.compare(image);
  assert.equal(comparison.counts.turbo, plain.length);
});

async function photograph(width: number, height: number): Promise<Buffer> {
  return sharp(groupPhotograph(1)).resize(width, height, { fit: "cover" }).png().toBuffer();
}

async function jpegOf(width: number, height: number): Promise<Buffer> {
  return sharp(await photograph(width, height))
    .jpeg()
    .toBuffer();
}
