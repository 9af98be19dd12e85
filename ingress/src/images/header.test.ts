import assert from "node:assert/strict";
import { test } from "node:test";
import { metadataBombs } from "@faceline/images/testing/metadata-bombs";
import sharp from "sharp";
import { base64Image } from "../../testing/server.ts";
import { HttpSettings } from "../config.ts";
import { checkHeader, type HeaderLimits } from "./header.ts";

const ref = { field: "img", label: "img" };
const plain = Buffer.from(await base64Image(), "base64");
const limits = HttpSettings.parse({});

test("the limits hold for plain headers and for unusual ones, and a damaged one is reported", async () => {
  const [least, smaller] = [await base64Image(16), await base64Image(15)].map((each) =>
    Buffer.from(each, "base64"),
  );
  // A fill byte between two markers: valid, and rare.
  const unusual = (image: Buffer) =>
    Buffer.concat([image.subarray(0, 2), Buffer.of(0xff), image.subarray(2)]);
  for (const form of [(image: Buffer) => image, unusual]) {
    const code = (IMAGE_PIXELS_MAX: number) => codeOf(form(plain), { ...limits, IMAGE_PIXELS_MAX });
    // A JPEG of one scan may have five times as many.
    assert.deepEqual([code(205), code(204)], ["ok", "image_too_large"]);
    assert.equal(codeOf(form(least!), limits), "ok");
    assert.equal(codeOf(form(smaller!), limits), "image_too_small");
    assert.equal(codeOf(form(plain).subarray(0, 20), limits), "invalid_image");
  }
});

test("whatever is beside the pixels, a header is read without a library, and costs what the pixels cost", async () => {
  const { png, webp } = { png: await square().png().toBuffer(), webp: await square().webp().toBuffer() };
  const bombs = metadataBombs({ png, webp, jpeg: plain });
  for (const [name, image] of Object.entries(bombs)) {
    const { cost, pixels } = checkHeader(image, ref, limits);
    assert.deepEqual([pixels, cost], [1_024, image.length > 1_000_000 ? cost : 1], name);
  }
});

test("an image of 40 megapixels is refused where decoding it would take more memory than a worker may use", async () => {
  for (const [name, expected, encoded] of [
    ["baseline JPEG", "ok", square().jpeg()],
    ["baseline JPEG of 50 megapixels", "ok", square().jpeg()],
    ["progressive JPEG of 50 megapixels", "image_too_large", square().jpeg({ progressive: true })],
    ["progressive JPEG, chroma of half size", "ok", square().jpeg({ progressive: true })],
    ["progressive JPEG, chroma of full size", "image_too_large", square().jpeg(fullChroma)],
    ["PNG", "ok", square().png()],
    ["16-bit PNG with alpha", "ok", deep().png()],
    ["interlaced 16-bit PNG with alpha", "image_too_large", deep().png({ progressive: true })],
    ["lossless WebP", "ok", square().webp({ lossless: true })],
  ] as const) {
    const image = claiming(await encoded.toBuffer(), name.includes("50") ? large : usual);
    assert.equal(codeOf(image, limits), expected, name);
  }
});

test("a very wide image is refused although it has few pixels: libvips keeps many rows of it", async () => {
  const wide = await colour(1_000_000, 16, 3).png({ compressionLevel: 1 }).toBuffer();
  assert.throws(() => checkHeader(wide, ref, limits), {
    code: "image_too_large",
    message:
      /would take 4,530,000,000 bytes .* limit is 209,715,200: scale it .*, or send it as a baseline JPEG/,
  });
});

test("an AVIF that the reader of headers does not understand is refused", async () => {
  const avif = await colour(64, 64, 3).avif({ effort: 0 }).toBuffer();
  checkHeader(avif, ref, limits);
  assert.throws(() => checkHeader(avif.subarray(0, -1), ref, limits), {
    code: "invalid_image",
    message: /is damaged, or an AVIF of several frames, layers or tiles: save it again, or as JPEG/,
  });
});

const colour = (width: number, height: number, channels: 3 | 4) =>
  sharp({ create: { width, height, channels, background: { r: 90, g: 120, b: 30, alpha: 0.5 } } });
const square = () => colour(32, 32, 3);
const deep = () => colour(32, 32, 4).toColourspace("rgb16");
const fullChroma = { progressive: true, chromaSubsampling: "4:4:4" } as const;
const usual = { width: 7_300, height: 5_470 };
const large = { width: 8_160, height: 6_120 };

/** The same JPEG, PNG or WebP with another size in its header, which is all that is read of it here. */
function claiming(image: Buffer, { width, height }: typeof usual): Buffer {
  const copy = Buffer.from(image);
  const frame = Math.max(copy.indexOf("ffc0", 0, "hex"), copy.indexOf("ffc2", 0, "hex"));
  if (copy[0] === 0x89) copy.writeUInt32BE(height, copy.writeUInt32BE(width, 16));
  else if (copy[0] === 0xff) copy.writeUInt16BE(width, copy.writeUInt16BE(height, frame + 5));
  else copy.writeUInt32LE(((height - 1) << 14) | (width - 1), 21);
  return copy;
}

function codeOf(image: Buffer, given: HeaderLimits): string {
  try {
    checkHeader(image, ref, given);
    return "ok";
  } catch (error) {
    return (error as { code: string }).code;
  }
}
