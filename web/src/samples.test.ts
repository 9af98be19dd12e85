import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import sharp from "sharp";
import { readAssets } from "./assets.ts";
import { imageName, previewName, sampleNames, thumbnailName, thumbnailWidthPx } from "./samples.ts";

const assets = await readAssets();

test("every image of the folder samples/ is a sample, with a thumbnail of less than 8 kB", async () => {
  const images = readdirSync(new URL("samples/", import.meta.url)).filter((name) => name.endsWith(".jpg"));
  assert.deepEqual(
    images.toSorted(),
    sampleNames.map((name) => `${name}.jpg`),
  );
  for (const sample of sampleNames) {
    const { type, bodies } = assets.content(thumbnailName(sample));
    const { format, width } = await sharp(bodies.identity).metadata();
    assert.deepEqual([type, format, width], ["image/webp", "webp", thumbnailWidthPx]);
    assert.ok(bodies.identity!.length < 8 * 1024, `${sample}: ${bodies.identity!.length} bytes`);
  }
});

test("images are compressed already: they are sent as they are", () => {
  for (const sample of sampleNames) {
    for (const name of [imageName(sample), previewName(sample), thumbnailName(sample)]) {
      assert.deepEqual(Object.keys(assets.content(name).bodies), ["identity"], name);
    }
  }
});

test("a preview has the size of its image, so that boxes need no arithmetic, and less than half its bytes", async () => {
  for (const sample of sampleNames) {
    const [image, preview] = [imageName(sample), previewName(sample)].map(
      (name) => assets.content(name).bodies.identity!,
    );
    const sizeOf = async (body: Uint8Array) => {
      const { width, height } = await sharp(body).metadata();
      return { width, height };
    };
    assert.deepEqual(await sizeOf(preview!), await sizeOf(image!), sample);
    assert.ok(preview!.length < image!.length / 2, sample);
  }
});
