import assert from "node:assert/strict";
import { test } from "node:test";
import sharp, { type Metadata } from "sharp";
import { describeImage } from "./describe.ts";
import type { ImageHeader } from "./header.ts";

const plain = sharp({ create: { width: 517, height: 33, channels: 3, background: "teal" } });
const formats = {
  "baseline JPEG": plain.clone().jpeg(),
  "progressive JPEG": plain.clone().jpeg({ progressive: true }),
  "JPEG with EXIF and a profile": plain.clone().jpeg().withMetadata({ orientation: 6 }).withIccProfile("p3"),
  "CMYK JPEG": plain.clone().toColourspace("cmyk").jpeg(),
  PNG: plain.clone().png(),
  "JPEG with chroma of full size": plain.clone().jpeg({ chromaSubsampling: "4:4:4" }),
  "grey JPEG": plain.clone().toColourspace("b-w").jpeg(),
  "16-bit PNG": plain.clone().toColourspace("rgb16").png(),
  "interlaced 16-bit PNG with alpha": plain
    .clone()
    .ensureAlpha(0.5)
    .toColourspace("rgb16")
    .png({ progressive: true }),
  "PNG of a palette": plain.clone().png({ palette: true }),
  "PNG of a palette with alpha": plain.clone().ensureAlpha(0.5).png({ palette: true }),
  "grey PNG": plain.clone().toColourspace("b-w").png(),
  "lossy WebP": plain.clone().webp(),
  "lossless WebP": plain.clone().webp({ lossless: true }),
  "WebP with alpha": plain.clone().ensureAlpha(0.5).webp(),
};

for (const [name, image] of Object.entries(formats)) {
  test(`${name}: what libvips reads`, async () => {
    const bytes = await image.toBuffer();
    const header = imageHeader(bytes);
    const read = headerOf(await sharp(bytes).metadata());
    // libvips does not tell how many scans a JPEG has, and how a WebP is coded.
    const unknown =
      header?.format === "jpeg"
        ? { severalScans: true, samplesPerPixel: header.samplesPerPixel === 1.5 ? 1.5 : header.components }
        : header?.format === "webp"
          ? { coding: "extended" }
          : {};
    assert.deepEqual({ ...header, ...unknown }, read);
  });

  test(`${name}, truncated anywhere in its header: the same, or undefined`, async () => {
    const bytes = await image.toBuffer();
    const whole = imageHeader(bytes);
    for (let length = 0; length < Math.min(bytes.length, 1_000); length++) {
      const actual = imageHeader(bytes.subarray(0, length));
      if (actual !== undefined) assert.deepEqual(actual, whole);
    }
  });
}

test("a header that is damaged gives undefined", () => {
  const jpeg = (...bytes: number[]) => Buffer.from([0xff, 0xd8, 0xff, ...bytes, ...Array(64).fill(0)]);
  assert.equal(imageHeader(jpeg(0xda, 0, 8)), undefined, "a scan before its frame");
  assert.equal(imageHeader(jpeg(0xc3, 0, 17, 8, 1, 0, 1, 0)), undefined, "a lossless frame");
  assert.equal(imageHeader(jpeg(0xc0, 0, 17, 8, 0, 0, 1, 0)), undefined, "a height that comes later");
  assert.equal(imageHeader(Buffer.from("GIF89a".padEnd(64))), undefined);
});

test("a JPEG with fill bytes, bytes between segments or many segments is read as libraries do", async () => {
  const bytes = await plain.clone().jpeg().toBuffer();
  const whole = imageHeader(bytes);
  const behind = 4 + bytes.readUInt16BE(4);
  for (const odd of [
    Buffer.of(0xff, 0xff),
    Buffer.of(0, 0, 0),
    Buffer.alloc(2_800, Buffer.of(0xff, 0xe1, 0, 2)),
  ]) {
    const header = imageHeader(Buffer.concat([bytes.subarray(0, behind), odd, bytes.subarray(behind)]));
    assert.deepEqual(header, whole);
  }
});

test("a JPEG with a scan for each component is kept whole by a decoder, like a progressive one", async () => {
  const bytes = await plain.clone().jpeg().toBuffer();
  const scan = bytes.indexOf(Buffer.of(0xff, 0xda));
  assert.ok(scan > 0);
  const before = imageHeader(bytes);
  assert.ok(before?.format === "jpeg" && !before.severalScans);
  bytes[scan + 4] = 1;
  const after = imageHeader(bytes);
  assert.ok(after?.format === "jpeg" && after.severalScans);
});

test("a PNG of more chunks than any encoder writes is none", async () => {
  const bytes = await plain.clone().png().toBuffer();
  const text = Buffer.concat([Buffer.of(0, 0, 0, 0), Buffer.from("tEXt"), Buffer.alloc(4)]);
  const withTexts = (count: number) =>
    Buffer.concat([bytes.subarray(0, 33), Buffer.alloc(count * text.length, text), bytes.subarray(33)]);
  assert.equal(imageHeader(withTexts(29_000))?.width, 517);
  assert.equal(imageHeader(withTexts(30_000)), undefined);
});

test("a JPEG that was made to be slow is damaged", () => {
  for (const body of [Buffer.of(0xff, 0xfe, 0, 2), Buffer.of(0xff, 0xe1, 0, 2), Buffer.of(0xff)]) {
    const jpeg = Buffer.concat([Buffer.of(0xff, 0xd8, 0xff), Buffer.alloc(10_000_000, body)]);
    assert.equal(describeImage(jpeg).kind, "damaged");
  }
});

test("a JPEG that no library here decodes is named", () => {
  const files: Record<string, string> = {
    "a lossless JPEG": "\xff\xd8\xff\xc3\0\x0b\x08\0\x10\0\x10\x01\x01\x11\0",
    "a 12-bit JPEG": "\xff\xd8\xff\xc1\0\x0b\x0c\0\x10\0\x10\x01\x01\x11\0",
    "a hierarchical JPEG": "\xff\xd8\xff\xc5\0\x0b\x08\0\x10\0\x10\x01\x01\x11\0",
  };
  for (const [unusual, bytes] of Object.entries(files))
    assert.deepEqual(describeImage(Buffer.from(bytes, "latin1")), { kind: "unusual", unusual });
});

function imageHeader(image: Buffer): ImageHeader | undefined {
  const description = describeImage(image);
  return description.kind === "image" ? description.header : undefined;
}

/** Header of an image as libvips reads it. */
function headerOf({ format, width, height, channels, depth, isProgressive, chromaSubsampling }: Metadata) {
  const samplesBySubsampling: Record<string, number> = { "4:2:0": 1.5, "4:2:2": 2 };
  if (format === "jpeg") {
    const samplesPerPixel = samplesBySubsampling[chromaSubsampling ?? ""] ?? channels;
    return { format, width, height, components: channels, samplesPerPixel, severalScans: true };
  }
  const bytesPerSample = depth === "uchar" ? 1 : 2;
  if (format === "png") return { format, width, height, channels, bytesPerSample, interlaced: isProgressive };
  return { format, width, height, coding: "extended" };
}
