// Covers libvips.ts: images with metadata are decoded without them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeImage } from "@faceline/images/describe";
import sharp, { type Sharp } from "sharp";
import { groupPhotograph } from "../../testing/photographs.ts";
import { defaultImageLimits } from "./image.ts";
import { decodeWithLibvips } from "./libvips.ts";

const photograph = sharp(await sharp(groupPhotograph(1)).resize(63, 99, { fit: "cover" }).png().toBuffer());
const transparent = photograph.clone().ensureAlpha(0.6);
const encodings: Record<string, Sharp> = {
  JPEG: photograph.clone().jpeg(),
  "CMYK JPEG": photograph.clone().toColourspace("cmyk").jpeg(),
  "transparent PNG": transparent.clone().png(),
  "interlaced PNG of 16 bits": transparent.clone().toColourspace("rgb16").png({ progressive: true }),
  "PNG of a palette": transparent.clone().png({ palette: true }),
  "grey PNG": photograph.clone().toColourspace("b-w").png(),
  WebP: photograph.clone().webp(),
  "transparent lossless WebP": transparent.clone().webp({ lossless: true }),
  "animated WebP": sharp(
    [await photograph.clone().png().toBuffer(), await transparent.clone().png().toBuffer()],
    {
      join: { animated: true },
    },
  ).webp(),
  AVIF: photograph.clone().avif({ effort: 0 }),
  "transparent AVIF": transparent.clone().avif({ effort: 0, bitdepth: 10 }),
};

for (const [name, encoding] of Object.entries(encodings)) {
  test(`${name}: the same pixels and sizes as with all metadata, in every orientation`, async () => {
    for (const orientation of [1, 2, 5, 6, 8]) {
      for (const longSideMaxPx of [2_560, 50]) {
        const withProfile = name === "CMYK JPEG" ? encoding.clone() : encoding.clone().withIccProfile("p3");
        const bytes = await withProfile.withMetadata({ orientation }).withXmp("<x:xmpmeta/>").toBuffer();
        const limits = { ...defaultImageLimits, longSideMaxPx, shrunkSidePx: 40 };
        const actual = await decodeWithLibvips(bytes, describeImage(bytes), limits);
        assert.ok(actual.kind === "image");
        const { width, height } = (await sharp(bytes).metadata()).autoOrient;
        assert.deepEqual([actual.originalWidth, actual.originalHeight], [width, height]);
        const expected = await decodedAsItIs(bytes, { side: longSideMaxPx === 50 ? 40 : undefined, name });
        assert.ok(
          Buffer.from(actual.pixels).equals(expected),
          `orientation ${orientation}, ${longSideMaxPx}`,
        );
      }
    }
  });
}

/** The pixels that libvips makes of the whole file. */
async function decodedAsItIs(bytes: Buffer, { side, name }: { side: number | undefined; name: string }) {
  const decoding = sharp(bytes, { ignoreIcc: name !== "CMYK JPEG" })
    .autoOrient()
    .flatten({ background: "#ffffff" });
  if (side !== undefined) decoding.resize({ width: side, height: side, fit: "inside", kernel: "linear" });
  const { data, info } = await decoding
    .toColourspace("srgb")
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true });
  if (info.channels === 3) return data;
  return Buffer.from(
    Array.from({ length: 3 * info.width * info.height }, (_, i) => data[info.channels * Math.floor(i / 3)]!),
  );
}
