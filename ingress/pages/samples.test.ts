import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import sharp from "sharp";
import { readAssets } from "./assets.ts";
import { pictureName, sampleNames, thumbnailName, thumbnailWidthPx } from "./samples.ts";

const assets = await readAssets();

test("every picture of the folder samples/ is a sample, with a thumbnail of less than 8 kB", async () => {
  const pictures = readdirSync(new URL("samples/", import.meta.url)).filter((name) => name.endsWith(".jpg"));
  assert.deepEqual(
    pictures.toSorted(),
    sampleNames.map((name) => `${name}.jpg`),
  );
  for (const sample of sampleNames) {
    const { type, bodies } = assets.content(thumbnailName(sample));
    const { format, width } = await sharp(bodies.identity).metadata();
    assert.deepEqual([type, format, width], ["image/webp", "webp", thumbnailWidthPx]);
    assert.ok(bodies.identity!.length < 8 * 1024, `${sample}: ${bodies.identity!.length} bytes`);
  }
});

test("pictures are compressed already: they are sent as they are", () => {
  for (const sample of sampleNames) {
    for (const name of [pictureName(sample), thumbnailName(sample)]) {
      assert.deepEqual(Object.keys(assets.content(name).bodies), ["identity"], name);
    }
  }
});
