import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";
import {
  metadataBombs,
  pngChunk,
  riffChunk,
  webpChunks,
  webpOf,
  withPngChunks,
} from "../testing/metadata-bombs.ts";
import { describeImage } from "./describe.ts";
import { applyEdits } from "./edits.ts";
import { exifOrientation } from "./exif-orientation.ts";

// Covers what is cut of each format. That pixels stay as they are is asserted in
// inference/src/decode/metadata.test.ts.

const square = sharp({ create: { width: 32, height: 32, channels: 3, background: "teal" } });
const [png, webp, bareJpeg] = await Promise.all([
  square.clone().png().toBuffer(),
  square.clone().webp().toBuffer(),
  square.clone().jpeg().toBuffer(),
]);
const formats = { jpeg: square.clone().jpeg(), png: square.clone().png(), webp: square.clone().webp() };
const withAll = (it: Sharp, orientation: number) =>
  it
    .clone()
    .withMetadata({ orientation })
    .withIccProfile("p3")
    .withXmp("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>");

test("an image without metadata is handed back as it is, not copied", async () => {
  const bare = withoutMetadata(await withAll(formats.png, 1).toBuffer())!.image;
  for (const image of [bareJpeg, bare, webp]) assert.equal(withoutMetadata(image)?.image, image);
});

for (const [format, image] of Object.entries(formats)) {
  test(`${format}: texts, profiles and EXIF are cut, and the orientation stays`, async () => {
    for (let orientation = 1; orientation <= 8; orientation++) {
      const plain = withoutMetadata(await withAll(image, orientation).toBuffer())!;
      const { exif, icc, xmp, orientation: read } = await sharp(plain.image).metadata();
      assert.deepEqual(
        [plain.orientation, read ?? 1, icc, xmp],
        [orientation, orientation, undefined, undefined],
      );
      assert.ok((exif?.length ?? 0) < 40);
      assert.deepEqual(withoutMetadata(plain.image)?.orientation, orientation, "a second time");
    }
  });
}

test("a CMYK JPEG keeps its colour profile, but for one that is longer than any in use", async () => {
  const cmyk = await square.clone().toColourspace("cmyk").withIccProfile("cmyk").jpeg().toBuffer();
  assert.ok((await sharp(withoutMetadata(cmyk)!.image).metadata()).icc !== undefined);
  const payload = Buffer.alloc(65_000, "ICC_PROFILE\0\u0001\u0001");
  const segment = Buffer.concat([Buffer.of(0xff, 0xe2, 65_002 >> 8, 65_002 & 0xff), payload]);
  const long = Buffer.concat([
    cmyk.subarray(0, 2),
    Buffer.alloc(65 * segment.length, segment),
    cmyk.subarray(2),
  ]);
  assert.ok(withoutMetadata(long)!.image.length < cmyk.length);
});

test("a CMYK JPEG loses a profile of elements, and one whose pieces are out of order", async () => {
  const cmyk = await square.clone().toColourspace("cmyk").withIccProfile("cmyk").jpeg().toBuffer();
  const firstAt = cmyk.indexOf("ICC_PROFILE\0");
  const secondAt = cmyk.indexOf("ICC_PROFILE\0", firstAt + 1);
  const changed = (text: string, at: number) =>
    Buffer.concat([cmyk.subarray(0, at), Buffer.from(text), cmyk.subarray(at + text.length)]);
  const tagAt = firstAt + 14 + 132;
  for (const bomb of [
    ...["D2B0", "D2B1", "D2B2", "D2B3"].map((tag) => changed(tag, tagAt + 12)),
    changed("\u0002", firstAt + 12),
    changed("\u0001", secondAt + 12),
    changed("\u007f", tagAt - 4),
  ]) {
    assert.ok(withoutMetadata(bomb)!.image.length < 10_000);
  }
  assert.ok(withoutMetadata(changed("D2X0", tagAt))!.image.length > 900_000);
});

test("what libraries inflate, copy, print or walk is gone, whatever it is", () => {
  for (const [name, bomb] of Object.entries(metadataBombs({ png, webp, jpeg: bareJpeg }))) {
    const plain = withoutMetadata(bomb);
    assert.ok(plain !== undefined && plain.image.length < 1_000, `${name}: ${plain?.image.length}`);
  }
});

test("an AVIF loses texts, profiles and EXIF", async () => {
  const avif = square.clone().avif({ effort: 0 });
  const plain = withoutMetadata(await withAll(avif, 6).toBuffer())!;
  const { exif, icc, xmp } = await sharp(plain.image).metadata();
  assert.deepEqual([exif, icc, xmp], [undefined, undefined, undefined]);
});

test("a layout that cannot be an image's is refused", () => {
  const excess = Buffer.concat([deflateSync(Buffer.alloc(32 * 97)), Buffer.alloc(70_000)]);
  const cases: Record<string, Buffer> = {
    "a second PNG header": withPngChunks(png, [png.subarray(8, 33)]),
    "a PNG chunk that a reader must know": withPngChunks(png, [pngChunk("ABCD", Buffer.of(1))]),
    "a palette of more than 256 colours": withPngChunks(png, [pngChunk("PLTE", Buffer.alloc(771))]),
    "more pixels than the header of a PNG tells of": withPngChunks(png, [pngChunk("IDAT", excess)]),
    "a WebP that is cut short": webp.subarray(0, -1),
    "a WebP without an image": webpOf(0, []).subarray(0, 12),
    "a WebP that begins with another chunk": Buffer.concat([
      Buffer.from("RIFF\x0c\0\0\0WEBP", "latin1"),
      riffChunk("ABCD", Buffer.alloc(0)),
      ...webpChunks(webp),
    ]),
    "a text": Buffer.from("no image at all".padEnd(64)),
  };
  for (const [name, image] of Object.entries(cases)) assert.equal(withoutMetadata(image), undefined, name);
});

test("bytes behind the end of an image are cut", () => {
  for (const image of [png, webp]) {
    const plain = withoutMetadata(image)!.image;
    assert.ok(withoutMetadata(Buffer.concat([image, Buffer.alloc(9_999, 1)]))!.image.equals(plain));
  }
});

test("no bytes make it throw, or give back more than came", async () => {
  const images = await Promise.all([
    ...Object.values(formats).map((image) => withAll(image, 6).toBuffer()),
    square
      .clone()
      .avif({ effort: 0 })
      .withExif({ IFD0: { Make: "x" } })
      .toBuffer(),
  ]);
  for (const image of images) {
    for (let at = 0; at < Math.min(image.length, 600); at++) {
      for (const changed of [image.subarray(0, at), image.with(at, 0xff), image.with(at, 0)]) {
        const plain = withoutMetadata(Buffer.from(changed.buffer, changed.byteOffset, changed.length));
        assert.ok((plain?.image.length ?? 0) <= changed.length + 400);
      }
    }
  }
});

function withoutMetadata(image: Buffer): { image: Buffer; orientation: number } | undefined {
  const description = describeImage(image);
  if (description.kind !== "image" || description.edits === undefined) return undefined;
  return { image: applyEdits(image, description.edits), orientation: description.orientation };
}

test("an EXIF block is read in a bounded time, and what is no orientation is upright", () => {
  const tiff = Buffer.alloc(65_536, 0xff);
  tiff.write("MM\0*\0\0\0\b", "latin1");
  assert.equal(exifOrientation(tiff), 1);
  for (let length = 0; length < 40; length++) assert.equal(exifOrientation(tiff.subarray(0, length)), 1);
});
