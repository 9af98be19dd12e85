import assert from "node:assert/strict";
import { test } from "node:test";
import sharp from "sharp";
import { plainDimensions } from "./dimensions.ts";

const plain = sharp({ create: { width: 517, height: 33, channels: 3, background: "teal" } });
const formats = {
  "baseline JPEG": plain.clone().jpeg(),
  "progressive JPEG": plain.clone().jpeg({ progressive: true }),
  "JPEG with EXIF and a profile": plain.clone().jpeg().withMetadata({ orientation: 6 }).withIccProfile("p3"),
  "CMYK JPEG": plain.clone().toColourspace("cmyk").jpeg(),
  PNG: plain.clone().png(),
  "16-bit PNG": plain.clone().toColourspace("rgb16").png(),
  "lossy WebP": plain.clone().webp(),
  "lossless WebP": plain.clone().webp({ lossless: true }),
  "WebP with alpha": plain.clone().ensureAlpha(0.5).webp(),
};

for (const [name, image] of Object.entries(formats)) {
  test(`${name}: the dimensions that libvips reads`, async () => {
    const bytes = await image.toBuffer();
    const { width, height } = await sharp(bytes).metadata();
    assert.deepEqual(plainDimensions(bytes), { width, height });
  });

  test(`${name}, truncated anywhere in its header: the same dimensions, or undefined`, async () => {
    const bytes = await image.toBuffer();
    for (let length = 0; length < Math.min(bytes.length, 1_000); length++) {
      const actual = plainDimensions(bytes.subarray(0, length));
      if (actual !== undefined) assert.deepEqual(actual, { width: 517, height: 33 });
    }
  });
}

test("a header with an unusual layout gives undefined", () => {
  const jpeg = (...bytes: number[]) => Buffer.from([0xff, 0xd8, 0xff, ...bytes, ...Array(64).fill(0)]);
  assert.equal(plainDimensions(jpeg(0xff, 0xc0, 0, 17, 8, 1, 0, 1, 0)), undefined, "fill bytes");
  assert.equal(plainDimensions(jpeg(0xda, 0, 8)), undefined, "a scan before its frame");
  assert.equal(plainDimensions(jpeg(0xc3, 0, 17, 8, 1, 0, 1, 0)), undefined, "a lossless frame");
  assert.equal(plainDimensions(jpeg(0xc0, 0, 17, 8, 0, 0, 1, 0)), undefined, "a height that comes later");
  assert.equal(plainDimensions(Buffer.from("GIF89a".padEnd(64))), undefined);
});

test("a frame after more segments than the maximum is not searched for, which bounds the time of a call", () => {
  const frameAfter = (segments: number) =>
    Buffer.concat([
      Buffer.from([0xff, 0xd8]),
      Buffer.alloc(4 * segments, Buffer.from([0xff, 0xe1, 0, 2])),
      Buffer.from([0xff, 0xc0, 0, 17, 8, 0, 33, 2, 5, 3]),
    ]);
  assert.deepEqual(plainDimensions(frameAfter(599)), { width: 517, height: 33 });
  assert.equal(plainDimensions(frameAfter(600)), undefined);
});
