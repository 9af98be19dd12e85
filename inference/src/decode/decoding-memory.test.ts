import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { decodingBytes } from "@faceline/images/decoding-bytes";
import { describeImage } from "@faceline/images/describe";
import { metadataBombs } from "@faceline/images/testing/metadata-bombs";
import sharp from "sharp";
import { groupPhotograph } from "../../testing/photographs.ts";
import { decodeImage } from "./decoder.ts";
import { defaultImageLimits } from "./image.ts";

// Tests images/src/decoding-bytes.ts with real images and their real decoders, and with the
// setting of the allocator that the launcher gives to workers.

const measure = join(import.meta.dirname, "../../testing/decoding-memory.ts");
const onLinux = process.platform === "linux" ? false : "only Linux tells the peak of a process";

const [width, height] = [2_000, 1_600];
const pixels = await sharp(groupPhotograph(6)).resize(width, height, { fit: "fill" }).raw().toBuffer();
const rgb = (...size: [width: number, height: number]) =>
  sharp(pixels, { raw: { width, height, channels: 3 } }).resize(...size, { fit: "fill" });
const deep = (width: number, height: number) => rgb(width, height).ensureAlpha(0.5).toColourspace("rgb16");
const quick = { compressionLevel: 1 } as const;
const fast = { effort: 0 } as const;
const quickInterlaced = { ...quick, progressive: true } as const;

const images = {
  "baseline JPEG": () => rgb(2_000, 1_600).jpeg(),
  "progressive JPEG": () => rgb(2_000, 1_600).jpeg({ progressive: true }),
  "progressive JPEG with full chroma": () =>
    rgb(2_000, 1_600).jpeg({ progressive: true, chromaSubsampling: "4:4:4" }),
  "progressive JPEG that is shrunk": () => rgb(4_000, 3_200).jpeg({ progressive: true }),
  "CMYK JPEG": () => rgb(1_000, 800).toColourspace("cmyk").jpeg(),
  PNG: () => rgb(2_000, 1_600).png(quick),
  "interlaced PNG": () => rgb(2_000, 1_600).png(quickInterlaced),
  "16-bit PNG with alpha": () => deep(2_000, 1_600).png(quick),
  "interlaced 16-bit PNG with alpha": () => deep(2_000, 1_600).png(quickInterlaced),
  "very wide 16-bit PNG": () => deep(20_000, 100).png(quick),
  // This quality says how long it searches for a smaller file.
  "lossless WebP": () => rgb(3_000, 2_400).webp({ lossless: true, effort: 0, quality: 1 }),
  "lossy WebP with alpha": () => rgb(3_000, 2_400).ensureAlpha(0.5).webp({ effort: 0 }),
  "AVIF with chroma of half size": () => rgb(2_000, 1_600).avif({ ...fast, chromaSubsampling: "4:2:0" }),
  "AVIF with full chroma": () => rgb(2_000, 1_600).avif(fast),
  "AVIF of 10 bits with alpha": () =>
    rgb(2_000, 1_600)
      .ensureAlpha(0.5)
      .avif({ ...fast, bitdepth: 10 }),
  "small AVIF": () => rgb(600, 400).avif(fast),
  "very wide AVIF": () => rgb(16_000, 16).avif(fast),
};

for (const [name, make] of Object.entries(images)) {
  test(`${name}: decoding takes no more memory than its header lets expect`, { skip: onLinux }, async () => {
    const image = await make().toBuffer();
    const reckoned = reckonedBytes(image);
    const { kinds, bytes } = measured([image]);
    assert.deepEqual(kinds, ["image"]);
    assert.ok(bytes <= reckoned, `${Math.round(bytes / 1e6)} MB, reckoned ${Math.round(reckoned / 1e6)} MB`);
  });
}

test("images beside which there is what unpacks to gigabytes take what their pixels take", {
  skip: onLinux,
}, async () => {
  const square = rgb(32, 32);
  const [png, webp, jpeg] = await Promise.all([
    square.clone().png().toBuffer(),
    square.clone().webp().toBuffer(),
    square.clone().jpeg().toBuffer(),
  ]);
  const bombs = Object.values(metadataBombs({ png, webp, jpeg }));
  const { kinds, bytes, cpuMs } = measured(bombs);
  assert.deepEqual([...new Set(kinds)], ["image"]);
  const reckoned = reckonedBytes(png);
  assert.ok(bytes <= reckoned, `${Math.round(bytes / 1e6)} MB, reckoned ${Math.round(reckoned / 1e6)} MB`);
  // About as long as 60 without metadata, because their bytes are read; unpacked, 100 times as long.
  const plain = measured(Array.from({ length: 20 }, () => [png, webp, jpeg]).flat());
  assert.ok(cpuMs < 20 * plain.cpuMs, `${cpuMs} ms, ${plain.cpuMs} ms without metadata`);
});

test("an AVIF of a telephone, of 12 megapixels, is within the default limit, and one of 40 is not", () => {
  const header = (width: number, height: number) => ({
    format: "avif" as const,
    width,
    height,
    bytesPerSample: 1 as const,
    samplesPerPixel: 1.5,
    hasAlpha: false,
  });
  assert.ok(decodingBytes(header(4_032, 3_024)) <= defaultImageLimits.decodingBytesMax);
  assert.ok(decodingBytes(header(7_300, 5_470)) > defaultImageLimits.decodingBytesMax);
});

function reckonedBytes(image: Buffer): number {
  const description = describeImage(image);
  assert.ok(description.kind === "image");
  return decodingBytes(description.header);
}

function measured(images: Buffer[]): { kinds: string[]; bytes: number; cpuMs: number } {
  const input = Buffer.concat(
    images.flatMap((image) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(image.length);
      return [length, image];
    }),
  );
  const env = { ...process.env, MALLOC_ARENA_MAX: "1" };
  return JSON.parse(execFileSync(process.execPath, [measure], { input, encoding: "utf8", env }));
}

test("a worker rejects an image whose decoding would take more than the limit, in each format", async () => {
  for (const [name, encoder] of Object.entries({
    "progressive JPEG": rgb(500, 400).jpeg({ progressive: true }),
    "JPEG for libvips": rgb(500, 400).toColourspace("cmyk").jpeg(),
    PNG: rgb(500, 400).png(),
    WebP: rgb(500, 400).webp({ lossless: true }),
    AVIF: rgb(500, 400).avif(fast),
  })) {
    const image = await encoder.toBuffer();
    const reckoned = reckonedBytes(image);
    const kind = async (decodingBytesMax: number) => {
      const result = await decodeImage(image, { ...defaultImageLimits, decodingBytesMax });
      return result.kind === "rejected" ? result.code : result.kind;
    };
    assert.deepEqual([await kind(reckoned), await kind(reckoned - 1)], ["image", "image_too_large"], name);
  }
});
