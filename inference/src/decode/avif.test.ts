import assert from "node:assert/strict";
import { test } from "node:test";
import type { Box } from "@faceline/images/avif";
import {
  avifItem,
  avifOf,
  mirrorProperty,
  rotationProperty,
  sizeProperty,
} from "@faceline/images/testing/avif-files";
import sharp, { type Sharp } from "sharp";
import { storedAs } from "../../testing/image-cases.ts";
import { cornersOf, quarters, uprightCorners } from "../../testing/quarters.ts";
import { decodeImage } from "./decoder.ts";
import { defaultImageLimits, type Image } from "./image.ts";

// Tests how libvips decodes AVIF. decoding-memory.test.ts has its memory.

const upright = await quarters(80, 40).png().toBuffer();

test("every depth, chroma and profile of AVIF decodes to the pixels of the PNG", async () => {
  const files: Record<string, Sharp> = {
    "8 bits": quarters(80, 40).avif({ quality: 90, effort: 0 }),
    "chroma of half size": quarters(80, 40).avif({ quality: 90, effort: 0, chromaSubsampling: "4:2:0" }),
    "10 bits": quarters(80, 40).avif({ quality: 90, effort: 0, bitdepth: 10 }),
    "12 bits": quarters(80, 40).avif({ quality: 90, effort: 0, bitdepth: 12 }),
    lossless: quarters(80, 40).avif({ lossless: true, effort: 0 }),
    "opaque alpha": quarters(80, 40).ensureAlpha(1).avif({ quality: 90, effort: 0 }),
    "a colour profile": quarters(80, 40).withIccProfile("srgb").avif({ quality: 90, effort: 0 }),
    "EXIF without orientation": quarters(80, 40)
      .withExif({ IFD0: { Artist: "nobody" } })
      .avif({ quality: 90, effort: 0 }),
  };
  for (const [name, file] of Object.entries(files)) {
    const image = await decoded(await file.toBuffer());
    assert.deepEqual([image.width, image.height, image.pixels.length], [80, 40, 9_600], name);
    assert.deepEqual(cornersOf(image), uprightCorners, name);
  }
});

// The container of an AVIF turns the image. EXIF may say so too, and then counts for nothing.
test("irot and imir of an AVIF are applied, and sizes are those of the upright image", async () => {
  const turns: Record<string, { orientation: number; properties: Box[] }> = {
    "a quarter turn to the left": { orientation: 8, properties: [rotationProperty(1)] },
    "half a turn": { orientation: 3, properties: [rotationProperty(2)] },
    "a quarter turn to the right": { orientation: 6, properties: [rotationProperty(3)] },
    mirrored: { orientation: 2, properties: [mirrorProperty(1)] },
    "upside down": { orientation: 4, properties: [mirrorProperty(0)] },
  };
  for (const [name, { orientation, properties }] of Object.entries(turns)) {
    const stored = await sharp(await storedAs(orientation, upright))
      .removeAlpha()
      .avif({ quality: 90, effort: 0 })
      .toBuffer();
    const image = await decoded(avifOf([avifItem(stored, ...properties)]));
    assert.deepEqual([image.originalWidth, image.originalHeight], [80, 40], name);
    assert.deepEqual(cornersOf(image), uprightCorners, name);
  }
});

test("each orientation as an encoder writes it to container and EXIF is applied once", async () => {
  for (let orientation = 1; orientation <= 8; orientation++) {
    const stored = sharp(await storedAs(orientation, upright)).withMetadata({ orientation });
    const image = await decoded(await stored.avif({ quality: 90, effort: 0 }).toBuffer());
    assert.deepEqual([image.originalWidth, image.originalHeight], [80, 40], `${orientation}`);
    assert.deepEqual(cornersOf(image), uprightCorners, `${orientation}`);
  }
});

test("what libheif would decode for long, or with much memory, ends at once as an error", async () => {
  const avif = (width: number, height: number) =>
    quarters(width, height).removeAlpha().avif({ effort: 0 }).toBuffer();
  const whole = await avif(80, 40);
  const item = avifItem(whole);
  const large = avifItem(await avif(4_000, 3_000), sizeProperty(80, 40));
  const configuration = item.properties.find(({ type }) => type === "av1C")!;
  // Other files are refused by their description: images/src/avif.test.ts.
  const hostile: Record<string, Buffer> = {
    "12 megapixels that say they are 3,200 pixels": avifOf([large]),
    "less than it says": avifOf([{ ...item, properties: [configuration, sizeProperty(800, 600)] }]),
  };
  for (const [name, file] of Object.entries(hostile)) assert.equal(await codeOf(file), "invalid_image", name);
  const sequence = Buffer.from(avifOf([item]).fill("avis", 8, 12));
  assert.equal(await codeOf(sequence), "unsupported_image_format");
  assert.equal(await codeOf(avifOf([item, avifItem(whole, sizeProperty(8_000, 6_000))])), "image_too_large");
});

test("an image with a gain map and 250 items of metadata decodes as it is alone", async () => {
  const item = avifItem(await quarters(80, 40).removeAlpha().avif({ effort: 0 }).toBuffer());
  const exif = { type: "Exif", data: Buffer.alloc(20_000), properties: [] };
  const file = avifOf(
    [item, { ...item, type: "tmap" }, item, ...Array.from({ length: 250 }, () => exif)],
    [{ type: "dimg", from: 2, to: [1, 3] }],
  );
  assert.deepEqual((await decoded(file)).pixels, (await decoded(avifOf([item]))).pixels);
});

test("damaged data of an AVIF end as an image or as its error, whatever the bytes are", async () => {
  const whole = await quarters(80, 40).avif({ effort: 0 }).toBuffer();
  let seed = Number(process.env["SEED"] ?? 417);
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * below);
  };
  const codes = new Set<string>();
  for (let i = 0; i < Number(process.env["SEEDS"] ?? 300); i++) {
    const changed = Buffer.from(whole);
    for (let changes = 1 + random(8); changes > 0; changes--) changed[random(whole.length)] = random(256);
    codes.add(await codeOf(changed));
  }
  const allowed = [
    "an image",
    "invalid_image",
    "unsupported_image_format",
    "image_too_large",
    "image_too_small",
  ];
  assert.deepEqual(
    [...codes].filter((code) => !allowed.includes(code)),
    [],
  );
  assert.ok(codes.has("an image") && codes.has("invalid_image"));
});

async function codeOf(bytes: Uint8Array): Promise<string> {
  const result = await decodeImage(bytes, defaultImageLimits);
  return result.kind === "rejected" ? result.code : "an image";
}

async function decoded(bytes: Uint8Array): Promise<Image> {
  const image = await decodeImage(bytes, defaultImageLimits);
  assert.equal(image.kind, "image");
  return image;
}
