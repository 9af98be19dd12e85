import assert from "node:assert/strict";
import { test } from "node:test";
import sharp, { type AvifOptions, type Sharp } from "sharp";
import {
  auxiliaryProperty,
  avifItem,
  avifOf,
  mirrorProperty,
  rotationProperty,
  sizeProperty,
} from "../testing/avif-files.ts";
import { describeAvif } from "./avif.ts";

const plain = (width = 517, height = 333) =>
  sharp({ create: { width, height, channels: 3, background: "teal" } });
const whole = await plain().avif({ effort: 0, chromaSubsampling: "4:2:0" }).toBuffer();
const image = avifItem(whole);
const avifHeader = (file: Buffer) => describeAvif(file)?.header;
const header = {
  format: "avif",
  width: 517,
  height: 333,
  bytesPerSample: 1,
  samplesPerPixel: 1.5,
  hasAlpha: false,
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

test("a truncated file has no header: the data of the image must be there", () => {
  for (let length = 0; length < whole.length; length++) {
    assert.equal(avifHeader(whole.subarray(0, length)), undefined, `${length} bytes`);
  }
});

test("a further frame in the data is refused: it takes as long as the first, and a few bytes", () => {
  const withData = (...data: Buffer[]) => avifHeader(avifOf([{ ...image, data: Buffer.concat(data) }]));
  assert.deepEqual(withData(image.data), header);
  assert.equal(withData(image.data, image.data), undefined);
  assert.equal(withData(image.data, Buffer.alloc(4_000, "\x12\0")), undefined, "2,000 empty units");
  // A size in five bytes, of which a reader of four would take the last for a unit.
  assert.equal(withData(Buffer.of(0x12, 0x80, 0x80, 0x80, 0x80, 0), image.data), undefined);
  const coding = image.properties.find(({ type }) => type === "av1C")!;
  const content = Buffer.concat([coding.content, image.data]);
  const frameInside = { ...coding, whole: Buffer.concat([coding.whole, image.data]) };
  frameInside.whole.writeUInt32BE(8 + content.length);
  const properties = [...image.properties.filter((each) => each !== coding), frameInside];
  assert.equal(avifHeader(avifOf([{ ...image, properties }])), undefined, "a frame in the configuration");
});

test("metadata in no piece, or in many, and many items of one piece of data, are refused", () => {
  const file = avifOf([image, { type: "Exif", data: image.data, properties: [] }]);
  const places = file.indexOf("iloc") - 4;
  const widths = file.readUInt8(places + 12);
  const pieces = places + file.readUInt32BE(places) - (widths >> 4) - (widths & 15) - 2;
  assert.equal(file.readUInt16BE(pieces), 1);
  // With widths of 0, 65,535 pieces take no bytes, and each item as long as that many steps.
  file.writeUInt16BE(0, pieces);
  assert.equal(avifHeader(file), undefined);
  assert.equal(avifHeader(avifOf(Array<typeof image>(17).fill(image))), undefined);
});

test("a gain map, a thumbnail and metadata are accepted, and the largest size counts", () => {
  const other = { ...image, properties: [...image.properties] };
  const [exif, gainMap] = ["Exif", "tmap"].map((type) => ({ type, data: image.data, properties: [] }));
  const toFirst = (type: string) => [{ type, from: 2, to: [1] }];
  const alpha = avifItem(whole, auxiliaryProperty("alpha"));
  const accepted = {
    "a thumbnail": avifOf([image, other], toFirst("thmb")),
    metadata: avifOf([image, exif!], toFirst("cdsc")),
    "a gain map": avifOf([image, gainMap!, other], [{ type: "dimg", from: 2, to: [1, 3] }]),
    "a depth": avifOf([image, avifItem(whole, auxiliaryProperty("depth"))], toFirst("auxl")),
  };
  for (const [name, file] of Object.entries(accepted)) assert.deepEqual(avifHeader(file), header, name);
  assert.deepEqual(avifHeader(avifOf([image, alpha], toFirst("auxl"))), { ...header, hasAlpha: true });
  const large = avifItem(whole, sizeProperty(4_000, 3_000));
  assert.deepEqual(avifHeader(avifOf([image, large])), { ...header, width: 4_000, height: 3_000 });
});

test("what libheif would decode or turn again and again, or give a canvas of its own, is refused", () => {
  const turns = (...properties: AvifProperties) =>
    avifHeader(avifOf([{ ...image, properties: [...image.properties, ...properties] }]));
  assert.deepEqual(turns(rotationProperty(1), mirrorProperty(0)), header);
  assert.equal(turns(...Array(200).fill(rotationProperty(1))), undefined);
  for (const type of ["grid", "iovl", "iden", "hvc1", "unci"])
    assert.equal(avifHeader(avifOf([{ ...image, type }, image])), undefined, type);
  assert.equal(avifHeader(Buffer.concat([whole, whole])), undefined, "two heads");
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
    if (avifHeader(changed) !== undefined) accepted++;
  }
  assert.ok(accepted > 0 && accepted < 20_000, `${accepted} accepted`);
});

type AvifProperties = (typeof image.properties)[number][];
