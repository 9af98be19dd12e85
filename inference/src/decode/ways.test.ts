import assert from "node:assert/strict";
import { test } from "node:test";
import sharp from "sharp";
import {
  groupPhotograph,
  labelledPairs,
  labelledPhotograph,
  withoutLabelled,
} from "../engine/photographs.ts";
import { patched } from "./odd-jpegs.ts";
import {
  cut,
  encoded,
  subsampled,
  THIN,
  turned,
  unplain,
  withDoubtfulExif,
  withDoubtfulSegments,
  withPlainExif,
  withPlainSegments,
} from "./odd-pictures.ts";
import { Ways } from "./ways.ts";

// A picture is decoded by libjpeg-turbo or by libvips. Whichever it is: the same code, or a picture of the same size, the
// same way up, and almost the same pixels. How many went which way is asserted, or all could go one way unnoticed.

test("photographs, shrunk to the long side that is the limit, and just larger", async (t) => {
  const ways = new Ways({ longSideMax: 1600 });
  for (let number = 1; number <= 6; number++) {
    for (const side of [1600, 1601]) {
      const bytes = await sharp(groupPhotograph(number)).resize(side).jpeg().toBuffer();
      await ways.compare({ name: `group ${number}, ${side}`, bytes });
    }
  }
  ways.diagnose(t);
  assert.deepEqual(ways.cases, { all: 12, turbo: 6, refused: 0 });
});

test("labelled photographs, whole: those that are not shrunk go to libjpeg-turbo", {
  skip: withoutLabelled,
}, async (t) => {
  const ways = new Ways();
  const names = new Set(labelledPairs().flatMap(({ left, right }) => [left, right]));
  for (const name of names) await ways.compare({ name, bytes: labelledPhotograph(name) });
  ways.diagnose(t);
  assert.equal(ways.cases.refused, 0);
  assert.ok(ways.cases.turbo > ways.cases.all / 2);
});

test("every orientation at every size, baseline and progressive, in whole blocks and not", async (t) => {
  const ways = new Ways();
  const sizes = [
    [16, 16],
    [17, 31],
    [64, 48],
    [63, 200],
    [257, 129],
    [640, 481],
  ] as const;
  for await (const odd of turned(photograph, sizes)) await ways.compare(odd);
  ways.diagnose(t);
  assert.deepEqual(ways.cases, { all: 96, turbo: 96, refused: 0 });
});

test("chroma of any size, at sides that end anywhere in a block", async (t) => {
  const ways = new Ways();
  const sizes = Array.from({ length: 18 }, (_, i) => [16 + i, 33 - i] as const);
  for await (const odd of subsampled(photograph, sizes)) await ways.compare(odd);
  ways.diagnose(t);
  // 4:4:0 is unusual.
  assert.deepEqual(ways.cases, { all: 72, turbo: 54, refused: 0 });
});

test("single rows and columns", async () => {
  const ways = new Ways({ sideMin: 1 });
  for await (const odd of turned(photograph, THIN, [{}])) await ways.compare(odd);
  assert.deepEqual(ways.cases, { all: 48, turbo: 48, refused: 0 });
});

test("any quality, with any profile, grey, by an encoder that looks for the best scans", async (t) => {
  const ways = new Ways();
  for await (const odd of encoded(await photograph(150, 110))) await ways.compare(odd);
  ways.diagnose(t);
  assert.deepEqual(ways.cases, { all: 54, turbo: 54, refused: 0 });
});

test("what is no plain JPEG is libvips'", async () => {
  const ways = new Ways();
  for await (const odd of unplain(await photograph(60, 50))) await ways.compare(odd);
  assert.equal(ways.cases.turbo, 0);
});

test("limits and codes are the same", async () => {
  const ways = new Ways({ pixelsMax: 5_000, sideMin: 20, longSideMax: 90 });
  for (const [width, height] of [
    [19, 80],
    [20, 80],
    [80, 19],
    [80, 62],
    [80, 63],
    [91, 50],
    [250, 20],
    [251, 20],
  ] as const) {
    const upright = await photograph(width, height);
    for (const orientation of [1, 3, 6]) {
      for (const progressive of [false, true]) {
        const bytes = await sharp(upright).jpeg({ progressive }).withMetadata({ orientation }).toBuffer();
        await ways.compare({ name: `${width} x ${height}`, bytes });
        await ways.compare({ name: `${width} x ${height}, cut`, bytes: bytes.subarray(0, -40) });
        await ways.compare({ name: `${width} x ${height}, bad table`, bytes: patched(bytes, 0xc4, 4, 0x33) });
      }
    }
  }
  assert.equal(ways.cases.all, 144);
  // 20 x 80 and 80 x 62, whole.
  assert.equal(ways.cases.turbo, 12);
});

test("cut anywhere, a JPEG is refused", async () => {
  const ways = new Ways();
  for await (const odd of cut(await photograph(120, 90))) await ways.compare(odd);
  assert.equal(ways.cases.turbo, 0);
  assert.equal(ways.cases.refused, ways.cases.all);
});

test("EXIF that lies, or says it twice", async () => {
  const ways = new Ways();
  const jpeg = await jpegOf(40, 30);
  const plain = withPlainExif(jpeg);
  for (const odd of plain) await ways.compare(odd);
  assert.equal(ways.cases.turbo, plain.length);
  for (const odd of withDoubtfulExif(jpeg)) await ways.compare(odd);
  assert.equal(ways.cases.turbo, plain.length);
});

test("segments in unusual places, numbers and lengths", async () => {
  const ways = new Ways({ sideMin: 8 });
  const jpeg = await jpegOf(64, 40);
  const plain = withPlainSegments(jpeg, await jpegOf(20, 20));
  for (const odd of plain) await ways.compare(odd);
  assert.equal(ways.cases.turbo, plain.length);
  for (const odd of withDoubtfulSegments(jpeg)) await ways.compare(odd);
  assert.equal(ways.cases.turbo, plain.length);
});

async function photograph(width: number, height: number): Promise<Buffer> {
  return sharp(groupPhotograph(1)).resize(width, height, { fit: "cover" }).png().toBuffer();
}

async function jpegOf(width: number, height: number): Promise<Buffer> {
  return sharp(await photograph(width, height))
    .jpeg()
    .toBuffer();
}
