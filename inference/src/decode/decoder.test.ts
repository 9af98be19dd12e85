import assert from "node:assert/strict";
import { test } from "node:test";
import { constants, deflateRawSync } from "node:zlib";
import { pngChunk, withPngChunks } from "@faceline/images/testing/metadata-bombs";
import sharp from "sharp";
import { storedAs } from "../../testing/image-cases.ts";
import { greyWithScans, withSegment } from "../../testing/jpeg-cases.ts";
import { groupPhotograph } from "../../testing/photographs.ts";
import { cornersOf, pixelAt, quarters, uprightCorners } from "../../testing/quarters.ts";
import { Decoder, decodeImage } from "./decoder.ts";
import { DecodeTimeout, defaultImageLimits, type Image, type ImageLimits } from "./image.ts";
import { PixelBufferPool } from "./pixel-buffers.ts";
import { decompressScaled } from "./turbojpeg-scaled.ts";

const unscaled = decompressScaled === undefined ? "libjpeg-turbo decodes no scales here" : false;

test("JPEG, PNG and WebP decode to the same pixels", async () => {
  for (const format of ["jpeg", "png", "webp"] as const) {
    const image = await decoded(await quarters(40, 20).toFormat(format, { quality: 100 }).toBuffer());
    assert.deepEqual([image.width, image.height, image.pixels.length], [40, 20, 2400], format);
    assert.deepEqual(cornersOf(image), uprightCorners, format);
  }
});

// Numbered as in the EXIF standard. Each file stores the pixels so that the image is upright after the
// rotation.
const orientations = [1, 2, 3, 4, 5, 6, 7, 8];
for (const [orientation, format] of orientations.flatMap((each) =>
  (["jpeg", "png", "webp"] as const).map((format) => [each, format] as const),
)) {
  test(`EXIF orientation ${orientation} of ${format} is applied, and sizes are those of the upright image`, async () => {
    const stored = sharp(await storedAs(orientation, await quarters(40, 20).png().toBuffer()));
    const bytes = await stored.toFormat(format, { quality: 100 }).withMetadata({ orientation }).toBuffer();
    const image = await decoded(bytes);
    assert.deepEqual(cornersOf(image), uprightCorners);
    assert.deepEqual([image.originalWidth, image.originalHeight], [40, 20]);

    const small = await decoded(bytes, { longSideMaxPx: 20 });
    assert.deepEqual(
      [small.width, small.height, small.originalWidth, small.originalHeight],
      [20, 10, 40, 20],
    );
    assert.deepEqual(cornersOf(small), uprightCorners);
  });
}

test("an image that takes libvips too long is given up", async () => {
  const side = 60_000;
  const bytes = blankPng(side);
  const limits = { ...defaultImageLimits, pixelsMax: side * side, decodeMaxMs: 1_000 };
  await assert.rejects(decodeImage(bytes, limits), DecodeTimeout);
});

test("grey, palette, 16 bits, CMYK and transparent images become RGB", async () => {
  const images = {
    "grey JPEG": await flat("#808080").greyscale().jpeg().toBuffer(),
    "grey PNG": await flat("#808080").toColourspace("b-w").png().toBuffer(),
    "grey PNG with alpha": await flat("#808080").toColourspace("b-w").ensureAlpha(1).png().toBuffer(),
    "palette PNG": await flat("#808080").png({ palette: true, colours: 4 }).toBuffer(),
    "PNG of a palette of 1 bit": await flat("#808080").png({ palette: true, colours: 2 }).toBuffer(),
    "animated PNG": withPngChunks(await flat("#808080").png().toBuffer(), [
      pngChunk("acTL", Buffer.of(0, 0, 0, 1, 0, 0, 0, 0)),
      pngChunk("fcTL", Buffer.from("\0\0\0\0\0\0\0\x18\0\0\0\x18\0\0\0\0\0\0\0\0\0\x01\0\x0a\0\0", "latin1")),
    ]),
    "PNG with EXIF behind its pixels": await exifBehindPixels(),
    "two images of an MPO": Buffer.concat([
      withSegment(await flat("#808080").jpeg().toBuffer(), 0xe2, Buffer.from("MPF\0II*\0\b\0\0\0", "latin1")),
      await flat("#000000").jpeg().toBuffer(),
    ]),
    "animated WebP": await sharp(
      [await flat("#808080").png().toBuffer(), await flat("#000000").png().toBuffer()],
      {
        join: { animated: true },
      },
    )
      .webp({ lossless: true })
      .toBuffer(),
    "16 bit PNG": await flat("#808080").toColourspace("rgb16").png().toBuffer(),
    "16 bit grey PNG": await flat("#808080").toColourspace("grey16").png().toBuffer(),
    "CMYK JPEG": await flat("#808080").toColourspace("cmyk").jpeg().toBuffer(),
    "WebP with alpha": await flat("#808080").ensureAlpha(1).webp({ lossless: true }).toBuffer(),
  };
  for (const [name, bytes] of Object.entries(images)) {
    const image = await decoded(bytes);
    assert.equal(image.pixels.length, 24 * 24 * 3, name);
    // CMYK goes through a printer's profile.
    const tolerance = name.startsWith("CMYK") ? 16 : 4;
    for (const value of pixelAt(image, 12, 12)) {
      assert.ok(Math.abs(value - 128) <= tolerance, `${name}: ${value}`);
    }
  }
});

/** Orientation as ExifTool writes it: it says that the image is upside down, and is ignored. */
async function exifBehindPixels(): Promise<Buffer> {
  const png = await flat("#808080").png().toBuffer();
  const exif = Buffer.from("MM\0*\0\0\0\b\0\x01\x01\x12\0\x03\0\0\0\x01\0\x03\0\0\0\0\0\0", "latin1");
  return withPngChunks(png, [pngChunk("eXIf", exif)], png.length - 12);
}

test("transparent pixels become white", async () => {
  const background = { r: 0, g: 0, b: 0, alpha: 0 };
  const clear = sharp({ create: { width: 64, height: 64, channels: 4, background } });
  const [png, avif] = [clear.clone().png(), clear.clone().avif({ effort: 0 })];
  assert.deepEqual(pixelAt(await decoded(await png.toBuffer()), 10, 10), [255, 255, 255]);
  assert.ok((await decoded(await avif.toBuffer())).pixels.every((value) => value >= 250));
});

test("a large image is shrunk to the limit of its long side, and a small one is never enlarged", async () => {
  const bytes = await sharp({ create: { width: 90, height: 300, channels: 3, background: "#123456" } })
    .png()
    .toBuffer();
  const image = await decoded(bytes, { longSideMaxPx: 100 });
  assert.deepEqual([image.width, image.height], [30, 100]);
  assert.deepEqual([image.originalWidth, image.originalHeight], [90, 300]);
  assert.equal((await decoded(bytes, { longSideMaxPx: 300 })).height, 300);
});

test("libjpeg-turbo shrinks a large plain JPEG in eighths, and libvips where it had a doubt", {
  skip: unscaled,
}, async () => {
  const photograph = sharp(groupPhotograph(6));
  for (const [side, shrunk] of [
    [2_561, 1_601],
    [4_032, 2_016],
    [5_200, 1_950],
  ] as const) {
    const jpeg = await photograph.clone().resize(side, 800, { fit: "fill" }).jpeg().toBuffer();
    const littered = Buffer.concat([jpeg.subarray(0, -2), Buffer.alloc(9, 0x11), jpeg.subarray(-2)]);
    const [turbo, libvips] = [await decoded(jpeg), await decoded(littered)];
    assert.deepEqual([turbo.width, turbo.pixels.length], [shrunk, 3 * shrunk * turbo.height]);
    assert.equal(libvips.width, 1_600);
    for (const { originalWidth, originalHeight } of [turbo, libvips]) {
      assert.deepEqual([originalWidth, originalHeight], [side, 800]);
    }
    const { width, height } = libvips;
    const raw = { width: turbo.width, height: turbo.height, channels: 3 } as const;
    const resized = await sharp(turbo.pixels, { raw })
      .resize(width, height, { fit: "fill" })
      .raw()
      .toBuffer();
    const sum = resized.reduce((total, value, i) => total + Math.abs(value - libvips.pixels[i]!), 0);
    assert.ok(sum / resized.length < 4, `${sum / resized.length} levels`);
  }
});

test("an image that cannot be decoded is rejected with its code", async () => {
  const jpeg = await flat("#805030", 200).jpeg().toBuffer();
  const png = await flat("#805030", 200).png().toBuffer();
  const webp = await flat("#805030", 200).webp().toBuffer();
  const flipped = Buffer.from(png);
  flipped[png.length - 30]! ^= 0xff;
  const cases: [string, Uint8Array, string][] = [
    ["a text", Buffer.from("Not an image at all, but long enough to be one."), "unsupported_image_format"],
    ["nothing", new Uint8Array(0), "unsupported_image_format"],
    [
      "an SVG",
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99"/>'),
      "unsupported_image_format",
    ],
    ["a GIF", Buffer.from("GIF89a\x20\x00\x20\x00\x80\x00\x00", "latin1"), "unsupported_image_format"],
    ["a JPEG cut in half", jpeg.subarray(0, jpeg.length / 2), "invalid_image"],
    ["a JPEG without its last tenth", jpeg.subarray(0, jpeg.length * 0.9), "invalid_image"],
    ["a PNG cut in half", png.subarray(0, png.length / 2), "invalid_image"],
    ["a WebP cut in half", webp.subarray(0, webp.length / 2), "invalid_image"],
    ["a PNG with a damaged byte", flipped, "invalid_image"],
    ["three bytes of a JPEG", Uint8Array.of(0xff, 0xd8, 0xff), "invalid_image"],
    [
      "a JPEG's first bytes before a text",
      Buffer.from("\xff\xd8\xff\xe0 and then a text", "latin1"),
      "invalid_image",
    ],
    ["a PNG header of 40k x 40k", pngHeader(40_000, 40_000), "image_too_large"],
    ["a PNG header of 41 megapixels", pngHeader(8200, 5000), "image_too_large"],
    ["15 pixels wide", await flat("#805030", 15).png().toBuffer(), "image_too_small"],
  ];
  for (const [name, bytes, code] of cases) {
    // Codes are compared, never images: printing the difference of their pixels would take gigabytes.
    const result = await decodeImage(bytes, defaultImageLimits);
    assert.equal(result.kind === "rejected" ? result.code : "an image", code, name);
  }
});

test("a JPEG that lacks its end marker alone is decoded; one that lacks pixels too is rejected", async () => {
  const noise = { type: "gaussian", mean: 128, sigma: 40 } as const;
  const drawn = sharp({ create: { width: 70, height: 50, channels: 3, background: "teal", noise } });
  const png = await drawn.png().toBuffer();
  const whole = await sharp(png).jpeg().toBuffer();
  const [expected, endless] = [await decoded(whole), await decoded(whole.subarray(0, -2))];
  assert.ok(Buffer.from(endless.pixels).equals(expected.pixels));
  for (let length = whole.length - 3; length > whole.length - 500; length--) {
    const { kind } = await decodeImage(whole.subarray(0, length), defaultImageLimits);
    assert.equal(kind, "rejected", `${length} of ${whole.length} bytes`);
  }
  // Scans that a progressive file lost leave no trace.
  const progressive = await sharp(png).jpeg({ progressive: true }).toBuffer();
  assert.equal((await decodeImage(progressive.subarray(0, -2), defaultImageLimits)).kind, "rejected");
});

test("libvips opens no other format, also where the format check lets one through", async () => {
  await assert.rejects(
    sharp(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')).metadata(),
  );
});

test("the decoder writes the pixels into the buffer of the batch", async () => {
  const limits = { ...defaultImageLimits, longSideMaxPx: 64 };
  const decoder = new Decoder({ ...limits, decodesMax: 2 });
  using buffer = await new PixelBufferPool({ batchMax: 3, longSideMaxPx: 64, buffersMax: 1 }).acquire();
  const jpeg = await flat("#ff0000", 64).jpeg({ quality: 100 }).toBuffer();
  const [first, bad, last] = await Promise.all([
    decoder.decode(jpeg, buffer),
    decoder.decode(jpeg.subarray(0, 200), buffer),
    decoder.decode(jpeg, buffer),
  ]);
  assert.equal(bad.kind, "rejected");
  assert.ok(first.kind === "image" && last.kind === "image");
  assert.ok(first.pixels.buffer instanceof SharedArrayBuffer);
  assert.ok(Buffer.from(first.pixels).equals(last.pixels));
});

test("a draft takes the beginning of its image's memory, and no more than that is zeroed", {
  skip: unscaled,
}, async () => {
  const decoder = new Decoder({ ...defaultImageLimits, decodesMax: 1 });
  const pool = new PixelBufferPool({ batchMax: 1, longSideMaxPx: 1_280, buffersMax: 1 });
  const buffer = await pool.acquire();
  const image = await decoder.decode(await flat("#ff0000", 1_280).jpeg().toBuffer(), buffer, "draft");
  assert.ok(image.kind === "image");
  assert.equal(image.pixels.length, 3 * 640 * 640);
  const all = new Uint8Array(image.pixels.buffer);
  all[image.pixels.length] = 7;
  buffer[Symbol.dispose]();
  assert.deepEqual([all.indexOf(7), all.find((value) => value !== 0)], [image.pixels.length, 7]);
});

test("an image is allocated once, also where libjpeg-turbo hands it over to libvips", async () => {
  const limits = { ...defaultImageLimits, longSideMaxPx: 64 };
  const decoder = new Decoder({ ...limits, decodesMax: 2 });
  const pool = new PixelBufferPool({ batchMax: 1, longSideMaxPx: 64, buffersMax: 1 });
  // Bytes between the data and the end are a warning of libjpeg-turbo, and nothing to libvips.
  const jpeg = await quarters(40, 20).resize(64, 64, { fit: "fill" }).jpeg({ quality: 100 }).toBuffer();
  const littered = Buffer.concat([jpeg.subarray(0, -2), Buffer.alloc(9, 0x11), jpeg.subarray(-2)]);
  const whole = await decodeImage(littered, limits);
  using buffer = await pool.acquire();
  const image = await decoder.decode(littered, buffer);
  assert.ok(whole.kind === "image" && image.kind === "image");
  assert.ok(Buffer.from(whole.pixels).equals(image.pixels));
  assert.equal(buffer.allocate(1), undefined, "the buffer is full");
});

test("more scans than any encoder writes are rejected before the first is decoded", async () => {
  const invalid = { kind: "rejected", code: "invalid_image" };
  const result = await decodeImage(greyWithScans(101), { ...defaultImageLimits, sideMinPx: 8 });
  assert.deepEqual(result.kind === "rejected" ? result : "an image", invalid);
  // The same where the header is not plain.
  const notPlain = withSegment(greyWithScans(101), 0xe1, Buffer.from("Exif"));
  const second = await decodeImage(notPlain, { ...defaultImageLimits, sideMinPx: 8 });
  assert.deepEqual(second.kind === "rejected" ? second : "an image", invalid);
});

async function decoded(bytes: Uint8Array, limits: Partial<ImageLimits> = {}): Promise<Image> {
  const image = await decodeImage(bytes, { ...defaultImageLimits, ...limits });
  assert.equal(image.kind, "image");
  return image;
}

function flat(background: string, side = 24) {
  return sharp({ create: { width: side, height: side, channels: 3, background } });
}

/** All that a decompression bomb shows before it is opened. */
function pngHeader(width: number, height: number): Uint8Array {
  return Buffer.concat([
    pngStart(width, height, [8, 2]),
    pngChunk("IDAT", Buffer.alloc(0)),
    Buffer.alloc(64),
  ]);
}

/** A black image of 1 bit a pixel. Its checksum is wrong, but nobody gets as far. */
function blankPng(side: number): Buffer {
  const rawBytes = side * (1 + side / 8);
  const block = deflateRawSync(Buffer.alloc(1_000_000), { finishFlush: constants.Z_SYNC_FLUSH });
  const blocks = Array.from({ length: Math.ceil(rawBytes / 1_000_000) }, () => block);
  return Buffer.concat([
    pngStart(side, side, [1, 0]),
    pngChunk("IDAT", Buffer.concat([Buffer.from("7801", "hex"), ...blocks])),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

/** The signature and the header. `depth`: bits of a sample, and the type of colour. */
function pngStart(width: number, height: number, depth: [number, number]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set(depth, 8);
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), pngChunk("IHDR", header)]);
}
