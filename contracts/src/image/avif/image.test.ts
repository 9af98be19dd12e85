import assert from "node:assert/strict";
import { test } from "node:test";
import sharp, { type AvifOptions, type Sharp } from "sharp";
import {
  auxiliaryProperty,
  avifGrid,
  avifItem,
  avifOf,
  rotationProperty,
  sizeProperty,
} from "../../../testing/avif-files.ts";
import { avifImage } from "./image.ts";
import { avifHead } from "./write.ts";

const plain = (width = 517, height = 333) =>
  sharp({ create: { width, height, channels: 3, background: "teal" } });
const whole = await plain().avif({ effort: 0, chromaSubsampling: "4:2:0" }).toBuffer();
const image = avifItem(whole);
const avifHeader = (file: Buffer) => avifImage(file)?.header;
const header = {
  format: "avif",
  width: 517,
  height: 333,
  bytesPerSample: 1,
  samplesPerPixel: 1.5,
  hasAlpha: false,
  tiles: { count: 1, width: 517, height: 333 },
};

test("size, depth, chroma and alpha are read from the properties", async () => {
  const full = { ...header, samplesPerPixel: 3 };
  assert.deepEqual(avifHeader(whole), header);
  const read = async (image: Sharp, options: AvifOptions = {}) =>
    avifHeader(await image.avif({ effort: 0, ...options }).toBuffer());
  assert.deepEqual(await read(plain()), full);
  assert.deepEqual(await read(plain(), { bitdepth: 10 }), { ...full, bytesPerSample: 2 });
  assert.deepEqual(await read(plain(), { bitdepth: 12 }), { ...full, bytesPerSample: 2 });
  assert.deepEqual(await read(plain(), { lossless: true }), full);
  assert.deepEqual(await read(plain().ensureAlpha(0.5)), { ...full, hasAlpha: true });
  const described = plain().withIccProfile("p3").withMetadata({ orientation: 6 });
  assert.deepEqual(await read(described), full);
});

test("a grid has the size of all its tiles, and no tiles to spare, which would be decoded, too", async () => {
  const tile = avifItem(await plain(256, 256).avif({ effort: 0 }).toBuffer());
  const size = { columns: 3, rows: 2, width: 700, height: 300 };
  const read = avifHeader(avifGrid(tile, size));
  assert.deepEqual([read?.width, read?.height], [700, 300]);
  assert.deepEqual(read?.tiles, { count: 6, width: 256, height: 256 });
  assert.equal(avifHeader(avifGrid(tile, { ...size, width: 500 })), undefined, "a column too many");
  assert.equal(avifHeader(avifGrid(tile, { ...size, width: 900 })), undefined, "a column too few");
  assert.equal(avifHeader(avifGrid(tile, { columns: 16, rows: 16, width: 4_096, height: 4_096 })), undefined);
  assert.equal(avifHeader(avifGrid({ ...tile, type: "grid" }, size)), undefined, "a grid of grids");
});

test("a truncated file has no header: the data of the image must be there", () => {
  for (let length = 0; length < whole.length; length++) {
    assert.equal(avifHeader(whole.subarray(0, length)), undefined, `${length} bytes`);
  }
});

test("a further frame in the data is refused: it takes as long as the first, and a few bytes", () => {
  const twice = { ...image, data: Buffer.concat([image.data, image.data]) };
  const endless = { ...image, data: Buffer.concat([image.data, Buffer.alloc(4_000, "\x12\0")]) };
  assert.deepEqual(avifHeader(avifOf([image])), header);
  assert.equal(avifHeader(avifOf([twice])), undefined);
  assert.equal(avifHeader(avifOf([endless])), undefined, "2,000 empty units");
  // A size in five bytes, of which a reader of four would take the last for a unit.
  const long = {
    ...image,
    data: Buffer.concat([Buffer.of(0x12, 0x80, 0x80, 0x80, 0x80, 0), image.data]),
  };
  assert.equal(avifHeader(avifOf([long])), undefined);
});

test("only the image and its alpha are kept: no gain map, thumbnail, metadata or other image", () => {
  const other = { ...image, properties: image.properties.map((each) => each) };
  const [exif, unknown, gainMap] = ["Exif", "hvc1", "tmap"].map((type) => ({
    ...other,
    type,
    properties: [],
  }));
  const alpha = { ...other, properties: [...other.properties, auxiliaryProperty("alpha")] };
  const depth = { ...other, properties: [...other.properties, auxiliaryProperty("depth")] };
  const toFirst = (type: string) => [{ type, from: 2, to: [1] }];
  const files = {
    "another image": avifOf([image, other]),
    "a thumbnail": avifOf([image, other], toFirst("thmb")),
    metadata: avifOf([image, exif!], toFirst("cdsc")),
    "an item of HEVC": avifOf([image, unknown!]),
    "a gain map": avifOf([image, gainMap!, other], [{ type: "dimg", from: 2, to: [1, 3] }]),
    "a depth": avifOf([image, depth], toFirst("auxl")),
    "200 images": avifOf(Array(200).fill(image)),
  };
  const bytes = headBytes(avifOf([image]));
  for (const [name, file] of Object.entries(files)) {
    assert.deepEqual(avifHeader(file), header, name);
    assert.deepEqual(headBytes(file), bytes, name);
  }
  assert.deepEqual(avifHeader(avifOf([image, alpha], toFirst("auxl"))), { ...header, hasAlpha: true });
  const larger = { ...alpha, properties: [...alpha.properties.slice(0, -1), sizeProperty(4_000, 3_000)] };
  assert.equal(
    avifHeader(avifOf([image, avifItem(avifOf([larger]), auxiliaryProperty("alpha"))], toFirst("auxl"))),
    undefined,
  );
  assert.equal(avifHeader(avifOf([{ ...image, type: "iovl" }, other])), undefined, "an overlay");
});

test("of each kind of property one is kept: a library would turn an image 255 times", () => {
  const turned = { ...image, properties: [...image.properties, ...Array(200).fill(rotationProperty(1))] };
  const kept = avifImage(avifOf([turned]))!.parts[0]!.properties.map(({ type }) => type);
  assert.deepEqual(
    kept.filter((type) => type === "irot"),
    ["irot"],
  );
});

test("reading a hostile head is bounded by constants, and never throws", () => {
  const empty = Buffer.from("\0\0\0\x08free", "latin1");
  const manyBoxes = Buffer.concat([whole.subarray(0, 28), ...Array(4_097).fill(empty), whole.subarray(28)]);
  assert.equal(avifHeader(manyBoxes), undefined);
  let seed = 417;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * below);
  };
  let accepted = 0;
  for (let i = 0; i < 20_000; i++) {
    const changed = Buffer.from(whole);
    for (let changes = 1 + random(4); changes > 0; changes--) changed[random(320)] = random(256);
    const read = avifHeader(changed);
    if (read === undefined) continue;
    accepted++;
    assert.ok(read.tiles.count === 1 && read.samplesPerPixel <= 3);
  }
  assert.ok(accepted > 0 && accepted < 20_000, `${accepted} accepted`);
});

/** Bytes of the head of the file that a library gets: it names each of its items. */
function headBytes(file: Buffer): number {
  return avifHead(avifImage(file)!, file).length;
}
