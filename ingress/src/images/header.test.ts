import assert from "node:assert/strict";
import { test } from "node:test";
import { decodingBytesMaxDefault } from "@faceline/contracts/image/decoding-bytes";
import sharp from "sharp";
import { base64Image } from "../../testing/server.ts";
import { HttpSettings } from "../config.ts";
import { HeaderChecker } from "./header.ts";

const ref = { field: "img", label: "img" };
const plain = Buffer.from(await base64Image(), "base64");
// A fill byte between two markers: valid, but only libvips reads it.
const unusual = Buffer.concat([plain.subarray(0, 2), Buffer.of(0xff), plain.subarray(2)]);
const damaged = unusual.subarray(0, 20);

test("headers that need libvips are read in turn, some may wait, and further ones are refused", async () => {
  const checker = new HeaderChecker({
    IMAGE_PIXELS_MAX: 1_024,
    IMAGE_SIDE_MIN_PX: 32,
    HEADER_CHECKS_MAX: 1,
    HEADER_CHECKS_WAITING_MAX: 1,
    IMAGE_DECODING_BYTES_MAX: decodingBytesMaxDefault,
  });
  const checks = await Promise.allSettled(
    [unusual, damaged, unusual, plain].map((image) => checker.check(image, ref)),
  );
  const codes = checks.map((check) => (check.status === "fulfilled" ? "ok" : check.reason.code));
  assert.deepEqual(codes, ["ok", "invalid_image", "queue_full", "ok"]);
  await checker.check(unusual, ref);
});

test("the limits hold for headers that libvips reads, too", async () => {
  const limits = {
    HEADER_CHECKS_MAX: 1,
    HEADER_CHECKS_WAITING_MAX: 1,
    IMAGE_DECODING_BYTES_MAX: decodingBytesMaxDefault,
  };
  const large = new HeaderChecker({ ...limits, IMAGE_PIXELS_MAX: 1_023, IMAGE_SIDE_MIN_PX: 16 });
  const small = new HeaderChecker({ ...limits, IMAGE_PIXELS_MAX: 1_024, IMAGE_SIDE_MIN_PX: 33 });
  await assert.rejects(large.check(unusual, ref), { code: "image_too_large" });
  await assert.rejects(small.check(unusual, ref), { code: "image_too_small" });
});

test("an image of 40 megapixels is refused where decoding it would take more memory than a worker may use", async () => {
  const checker = new HeaderChecker(HttpSettings.parse({}));
  const codes: Record<string, string> = {};
  for (const [name, encoded] of Object.entries({
    "baseline JPEG": photograph(3).jpeg(),
    "progressive JPEG, chroma of half size": photograph(3).jpeg({ progressive: true }),
    "progressive JPEG, chroma of full size": photograph(3).jpeg({
      progressive: true,
      chromaSubsampling: "4:4:4",
    }),
    PNG: photograph(3).png({ compressionLevel: 1 }),
    "16-bit PNG with alpha": photograph(4).toColourspace("rgb16").png({ compressionLevel: 1 }),
    "interlaced 16-bit PNG with alpha": photograph(4)
      .toColourspace("rgb16")
      .png({ compressionLevel: 1, progressive: true }),
    "lossless WebP": photograph(3).webp({ lossless: true, effort: 0 }),
  })) {
    const image = await encoded.toBuffer();
    codes[name] = await checker.check(image, ref).then(
      () => "ok",
      (error: { code: string }) => error.code,
    );
  }
  assert.deepEqual(codes, {
    "baseline JPEG": "ok",
    "progressive JPEG, chroma of half size": "ok",
    "progressive JPEG, chroma of full size": "image_too_large",
    PNG: "ok",
    "16-bit PNG with alpha": "ok",
    "interlaced 16-bit PNG with alpha": "image_too_large",
    "lossless WebP": "ok",
  });
});

test("a very wide image is refused although it has few pixels: libvips keeps many rows of it", async () => {
  const checker = new HeaderChecker(HttpSettings.parse({}));
  const wide = await colour(1_000_000, 16, 3).png({ compressionLevel: 1 }).toBuffer();
  await assert.rejects(checker.check(wide, ref), {
    code: "image_too_large",
    message: /send it smaller, or as a baseline JPEG/,
  });
});

test("an AVIF that the reader of headers does not understand is refused, without asking libvips", async () => {
  const checker = new HeaderChecker({ ...HttpSettings.parse({}), HEADER_CHECKS_MAX: 1 });
  const avif = await colour(64, 64, 3).avif({ effort: 0 }).toBuffer();
  await checker.check(avif, ref);
  await assert.rejects(checker.check(avif.subarray(0, -1), ref), {
    code: "invalid_image",
    message: /is damaged, or an AVIF of several frames, layers or pictures: save it anew, or as JPEG/,
  });
  await assert.rejects(sharp(avif).metadata(), "libvips of the ingress opens no AVIF at all");
});

const colour = (width: number, height: number, channels: 3 | 4) =>
  sharp({ create: { width, height, channels, background: { r: 90, g: 120, b: 30, alpha: 0.5 } } });
const photograph = (channels: 3 | 4) => colour(7_300, 5_470, channels);
