import assert from "node:assert/strict";
import { test } from "node:test";
import sharp, { type AvifOptions, type Sharp } from "sharp";
import { avifFile, avifGrid, avifPicture, sizeProperty } from "../../../testing/avif-files.ts";
import { boxesMax } from "./boxes.ts";
import { avifHeader } from "./header.ts";

const plain = (width = 517, height = 333) =>
  sharp({ create: { width, height, channels: 3, background: "teal" } });
const whole = await plain().avif({ effort: 0, chromaSubsampling: "4:2:0" }).toBuffer();
const picture = avifPicture(whole, 1);
const withSize = (width: number, height: number) =>
  picture.properties.map((each) => (each.includes("ispe") ? sizeProperty(width, height) : each));

test("size, depth, chroma and alpha are read from the AV1 data", async () => {
  const expected = {
    format: "avif",
    width: 517,
    height: 333,
    bytesPerSample: 1,
    samplesPerPixel: 1.5,
    hasAlpha: false,
    hasFilters: false,
    tiles: { count: 1, width: 517, height: 333 },
  };
  const full = { ...expected, samplesPerPixel: 3 };
  assert.deepEqual(avifHeader(whole), expected);
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

test("a grid has the size of all its tiles", async () => {
  const tile = avifPicture(await plain(256, 256).avif({ effort: 0 }).toBuffer(), 2);
  const size = { columns: 3, rows: 2, width: 700, height: 300 };
  const header = avifHeader(avifGrid(tile, size));
  assert.deepEqual([header?.width, header?.height], [700, 300]);
  assert.deepEqual(header?.tiles, { count: 6, width: 256, height: 256 });
  assert.equal(avifHeader(avifGrid(tile, { ...size, width: 500 })), undefined, "a column too many");
  assert.equal(avifHeader(avifGrid(tile, { ...size, width: 900 })), undefined, "a column too few");
});

test("a truncated file has no header: the data of the picture must be there", () => {
  for (let length = 0; length < whole.length; length++) {
    assert.equal(avifHeader(whole.subarray(0, length)), undefined, `${length} bytes`);
  }
});

test("a further frame in the data is refused: it takes as long as the first, and a few bytes", () => {
  const twice = { ...picture, data: Buffer.concat([picture.data, picture.data]) };
  assert.equal(avifHeader(avifFile([picture]))?.width, 517);
  assert.equal(avifHeader(avifFile([twice])), undefined);
});

test("a container that says another size than the AV1 data is refused: the decoder allocates by the data", async () => {
  assert.equal(avifHeader(avifFile([{ ...picture, properties: withSize(64, 64) }])), undefined);
  assert.equal(avifHeader(avifFile([{ ...picture, properties: withSize(517, 333) }]))?.height, 333);
});

test("several pictures are refused, but a thumbnail, metadata and hidden ones are none", () => {
  const second = { ...picture, id: 2 };
  const exif = { id: 3, type: "Exif", data: Buffer.alloc(9), properties: [] };
  const reference = (type: string) => ({ references: [{ type, from: 2, to: [1] }] });
  assert.equal(avifHeader(avifFile([picture, second])), undefined);
  assert.equal(avifHeader(avifFile([picture, second], reference("thmb")))?.width, 517);
  assert.equal(avifHeader(avifFile([picture, { ...second, isHidden: true }, exif]))?.width, 517);
  assert.equal(avifHeader(avifFile([picture, second], reference("auxl")))?.hasAlpha, true);
  assert.equal(avifHeader(avifFile([picture, { ...exif, type: "hvc1" }])), undefined);
  const overlay = { ...picture, type: "iovl" };
  assert.equal(avifHeader(avifFile([overlay, { ...second, isHidden: true }])), undefined);
});

test("items of more bytes than the file are refused: their pieces overlap, and a library joins them", () => {
  const exif = { id: 3, type: "Exif", data: Buffer.alloc(100_000), properties: [] };
  assert.equal(avifHeader(avifFile([picture, { ...exif, pieces: 1 }]))?.width, 517);
  assert.equal(avifHeader(avifFile([picture, { ...exif, pieces: 30 }])), undefined);
});

test("reading a hostile header is bounded by constants, and never throws", () => {
  const empty = Buffer.from("\0\0\0\x08free", "latin1");
  const manyBoxes = Buffer.concat([
    whole.subarray(0, 28),
    ...Array(boxesMax + 1).fill(empty),
    whole.subarray(28),
  ]);
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
    const header = avifHeader(changed);
    if (header === undefined) continue;
    accepted++;
    assert.ok(header.tiles.count === 1 && header.samplesPerPixel <= 3);
  }
  assert.ok(accepted > 0 && accepted < 20_000, `${accepted} accepted`);
});
