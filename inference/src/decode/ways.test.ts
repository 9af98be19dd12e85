import assert from "node:assert/strict";
import { test } from "node:test";
import turbojpeg from "@julusian/jpeg-turbo";
import sharp from "sharp";
import {
  groupPhotograph,
  labelledPairs,
  labelledPhotograph,
  withoutLabelled,
} from "../engine/photographs.ts";
import {
  exifBlock,
  greyWithRestarts,
  greyWithScans,
  patched,
  segmentOf,
  Ways,
  withSegment,
} from "./odd-jpegs.ts";

// A picture is decoded by libjpeg-turbo or by libvips. Whichever it is: the same code, or a picture of the same size, the
// same way up, and almost the same pixels. How many went which way is asserted, or all could go one way unnoticed.

test("photographs, shrunk to the long side that is the limit, and just larger", async (t) => {
  const ways = new Ways({ longSideMax: 1600 });
  for (let number = 1; number <= 6; number++) {
    for (const side of [1600, 1601]) {
      const bytes = await sharp(groupPhotograph(number)).resize(side).jpeg().toBuffer();
      await ways.compare(`group ${number}, ${side}`, bytes);
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
  for (const name of names) await ways.compare(name, labelledPhotograph(name));
  ways.diagnose(t);
  assert.equal(ways.cases.refused, 0);
  assert.ok(ways.cases.turbo > ways.cases.all / 2);
});

test("every orientation at every size, baseline and progressive, in whole blocks and not", async (t) => {
  const ways = new Ways();
  for (const [width, height] of [
    [16, 16],
    [17, 31],
    [64, 48],
    [63, 200],
    [257, 129],
    [640, 481],
  ] as const) {
    const upright = await photograph(width, height);
    for (let orientation = 1; orientation <= 8; orientation++) {
      for (const options of [{}, { progressive: true, chromaSubsampling: "4:4:4" }]) {
        const bytes = await sharp(upright).jpeg(options).withMetadata({ orientation }).toBuffer();
        await ways.compare(`${width} x ${height}, orientation ${orientation}`, bytes);
      }
    }
  }
  ways.diagnose(t);
  assert.deepEqual(ways.cases, { all: 96, turbo: 96, refused: 0 });
});

test("chroma of any size, at sides that end anywhere in a block", async (t) => {
  const ways = new Ways();
  for (let side = 16; side <= 33; side++) {
    const [width, height] = [side, 49 - side];
    const rgb = await sharp(await photograph(width, height))
      .raw()
      .toBuffer();
    for (const subsampling of [
      turbojpeg.SAMP_444,
      turbojpeg.SAMP_422,
      turbojpeg.SAMP_420,
      turbojpeg.SAMP_440,
    ]) {
      const options = { format: turbojpeg.FORMAT_RGB, width, height, subsampling, quality: 90 };
      await ways.compare(
        `${width} x ${height}, subsampling ${subsampling}`,
        turbojpeg.compressSync(rgb, options),
      );
    }
  }
  ways.diagnose(t);
  // 4:4:0 is unusual.
  assert.deepEqual(ways.cases, { all: 72, turbo: 54, refused: 0 });
});

test("single rows and columns", async () => {
  const ways = new Ways({ sideMin: 1 });
  for (const [width, height] of [
    [1, 1],
    [1, 2],
    [3, 1],
    [1, 61],
    [61, 1],
    [2, 100],
  ] as const) {
    const upright = await photograph(width, height);
    for (let orientation = 1; orientation <= 8; orientation++) {
      await ways.compare(
        `${width} x ${height}, orientation ${orientation}`,
        await sharp(upright).jpeg().withMetadata({ orientation }).toBuffer(),
      );
    }
  }
  assert.deepEqual(ways.cases, { all: 48, turbo: 48, refused: 0 });
});

test("any quality, with any profile, grey, by an encoder that looks for the best scans", async (t) => {
  const ways = new Ways();
  const picture = await photograph(150, 110);
  for (const quality of [1, 10, 30, 50, 75, 90, 95, 98, 100]) {
    for (const options of [{}, { progressive: true }, { mozjpeg: true }, { chromaSubsampling: "4:4:4" }]) {
      await ways.compare(
        `quality ${quality}`,
        await sharp(picture)
          .jpeg({ quality, ...options })
          .toBuffer(),
      );
    }
    await ways.compare("grey", await sharp(picture).greyscale().jpeg({ quality }).toBuffer());
    await ways.compare("P3", await sharp(picture).withIccProfile("p3").jpeg({ quality }).toBuffer());
  }
  ways.diagnose(t);
  assert.deepEqual(ways.cases, { all: 54, turbo: 54, refused: 0 });
});

test("what is no plain JPEG is libvips'", async () => {
  const ways = new Ways();
  const picture = sharp(await photograph(60, 50));
  const jpeg = await picture.clone().jpeg({ chromaSubsampling: "4:4:4" }).toBuffer();
  const frame = await picture.clone().png().toBuffer();
  const animated = sharp([frame, await picture.clone().negate().png().toBuffer()], {
    join: { animated: true },
  });
  for (const [name, bytes] of Object.entries({
    "PNG of a palette": await picture.clone().png({ palette: true }).toBuffer(),
    "PNG of 16 bits": await picture.clone().toColourspace("rgb16").png().toBuffer(),
    "grey PNG": await picture.clone().greyscale().png().toBuffer(),
    "PNG with alpha": await picture.clone().ensureAlpha(0.5).png().toBuffer(),
    "WebP with alpha": await picture.clone().ensureAlpha(0.5).webp().toBuffer(),
    "animated WebP": await animated.clone().webp().toBuffer(),
    GIF: await animated.clone().gif().toBuffer(),
    AVIF: await picture.clone().avif().toBuffer(),
    TIFF: await picture.clone().tiff().toBuffer(),
    "CMYK JPEG": await picture.clone().toColourspace("cmyk").jpeg().toBuffer(),
    "RGB JPEG by Adobe": withSegment(jpeg, 0xee, adobe(0)),
    "RGB JPEG by its ids": withIds(jpeg, ["R", "G", "B"]),
    "ids from 0": withIds(jpeg, ["\0", "\u0001", "\u0002"]),
    "12 bits": patched(jpeg, 0xc0, 4, 12),
    "extended JPEG": patched(jpeg, 0xc0, 1, 0xc1),
    "lossless JPEG": patched(jpeg, 0xc0, 1, 0xc3),
    "arithmetic JPEG": patched(jpeg, 0xc0, 1, 0xc9),
    "hierarchical JPEG": patched(jpeg, 0xc0, 1, 0xc5),
    "a height that comes later": patched(jpeg, 0xc0, 5, 0, 0),
    "no width": patched(jpeg, 0xc0, 7, 0, 0),
    "four components in the frame": patched(jpeg, 0xc0, 9, 4),
    "two in the scan": patched(jpeg, 0xda, 4, 2),
    "chroma larger than luma": patched(jpeg, 0xc0, 14, 0x22),
  })) {
    await ways.compare(name, bytes, { damaged: name.startsWith("extended") });
  }
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
        await ways.compare(`${width} x ${height}`, bytes);
        await ways.compare(`${width} x ${height}, cut`, bytes.subarray(0, -40));
        await ways.compare(`${width} x ${height}, bad table`, patched(bytes, 0xc4, 4, 0x33));
      }
    }
  }
  assert.equal(ways.cases.all, 144);
  // 20 x 80 and 80 x 62, whole.
  assert.equal(ways.cases.turbo, 12);
});

test("cut anywhere, a JPEG is refused", async () => {
  const ways = new Ways();
  const picture = sharp(await photograph(120, 90));
  for (const options of [{}, { progressive: true }, { mozjpeg: true }, { chromaSubsampling: "4:4:4" }]) {
    const jpeg = await picture.clone().jpeg(options).withMetadata({ orientation: 6 }).toBuffer();
    for (let tenth = 0; tenth < 10; tenth++) {
      await ways.compare(`${tenth} tenths`, jpeg.subarray(0, (tenth * jpeg.length) / 10));
    }
    for (const lacking of [1, 2, 3, 10]) await ways.compare(`all but ${lacking}`, jpeg.subarray(0, -lacking));
    const data = segmentOf(jpeg, 0xda);
    for (let at = 2; at < data + 14; at += 17) await ways.compare(`${at} bytes`, jpeg.subarray(0, at));
  }
  assert.equal(ways.cases.turbo, 0);
  assert.equal(ways.cases.refused, ways.cases.all);
});

test("EXIF that lies, or says it twice", async () => {
  const ways = new Ways();
  const jpeg = await sharp(await photograph(40, 30))
    .jpeg()
    .toBuffer();
  const turned = { entries: [{ value: 6 }] };
  const exif = (lies: Parameters<typeof exifBlock>[0]) => withSegment(jpeg, 0xe1, exifBlock(lies));
  const plain = {
    "little-endian": exif(turned),
    "big-endian": exif({ ...turned, order: "MM" }),
    "behind the tables": withSegment(jpeg, 0xe1, exifBlock(turned), 3),
    "nothing in it": exif({ entries: [] }),
    "no orientation": exif({ entries: [{ tag: 0x0100, value: 5 }] }),
    "after others": exif({ entries: [{ tag: 0x0100, value: 5 }, { value: 8 }] }),
    "XMP beside it": withSegment(
      exif(turned),
      0xe1,
      Buffer.from("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>"),
    ),
  };
  for (const [name, bytes] of Object.entries(plain)) await ways.compare(name, bytes);
  assert.equal(ways.cases.turbo, Object.keys(plain).length);

  const doubtful = {
    "two blocks": withSegment(exif(turned), 0xe1, exifBlock({ entries: [{ value: 3 }] })),
    "two blocks, the first empty": withSegment(exif(turned), 0xe1, exifBlock({ entries: [] })),
    "two orientations": exif({ entries: [{ value: 6 }, { value: 3 }] }),
    "orientation 0": exif({ entries: [{ value: 0 }] }),
    "orientation 9": exif({ entries: [{ value: 9 }] }),
    "of four bytes": exif({ entries: [{ type: 4, value: 6 }] }),
    "of one byte": exif({ entries: [{ type: 1, value: 6 }] }),
    "of a type that is none": exif({ entries: [{ type: 99, value: 6 }] }),
    "two values": exif({ entries: [{ values: 2, value: 6 }] }),
    "no value": exif({ entries: [{ values: 0, value: 6 }] }),
    "a wild count of values": exif({ entries: [{ values: 0xffff_ffff, value: 6 }] }),
    "more entries than there are": exif({ ...turned, count: 500 }),
    "a directory elsewhere": exif({ ...turned, directoryAt: 9 }),
    "a directory far away": exif({ ...turned, directoryAt: 0xffff_fff0 }),
    "no byte order": exif({ ...turned, order: "XX" }),
    "Exif and no more": withSegment(jpeg, 0xe1, Buffer.from("Exif")),
    "Exif in other words": withSegment(
      jpeg,
      0xe1,
      Buffer.from("Exiftool was here, and what follows is text"),
    ),
    "half a header": withSegment(jpeg, 0xe1, exifBlock(turned).subarray(0, 13)),
    "half an entry": withSegment(jpeg, 0xe1, exifBlock(turned).subarray(0, 22)),
  };
  for (const [name, bytes] of Object.entries(doubtful)) await ways.compare(name, bytes);
  assert.equal(ways.cases.turbo, Object.keys(plain).length);
});

test("segments in unusual places, numbers and lengths", async () => {
  const ways = new Ways({ sideMin: 8 });
  const jpeg = await sharp(await photograph(64, 40))
    .jpeg()
    .toBuffer();
  const second = await sharp(await photograph(20, 20))
    .jpeg()
    .toBuffer();
  const frame = jpeg.subarray(segmentOf(jpeg, 0xc0) + 4, segmentOf(jpeg, 0xc0) + 19);
  const plain = {
    "a comment": withSegment(jpeg, 0xfe, Buffer.from("hello")),
    "an empty comment": withSegment(jpeg, 0xfe, Buffer.alloc(0)),
    "a long comment": withSegment(jpeg, 0xfe, Buffer.alloc(65_533)),
    "garbage behind the end": Buffer.concat([jpeg, Buffer.alloc(999, 0xab)]),
    "a second picture behind the end": Buffer.concat([jpeg, second]),
    "YCbCr by Adobe": withSegment(jpeg, 0xee, adobe(1)),
    "YCbCr by JFIF": withSegment(jpeg, 0xe0, jfif),
    restarts: greyWithRestarts(3),
    "as many scans as there may be": greyWithScans(100),
  };
  for (const [name, bytes] of Object.entries(plain)) await ways.compare(name, bytes);
  assert.equal(ways.cases.turbo, Object.keys(plain).length);

  const doubtful = {
    "fill bytes": Buffer.concat([jpeg.subarray(0, 2), Buffer.of(0xff, 0xff), jpeg.subarray(2)]),
    "zeros between segments": Buffer.concat([jpeg.subarray(0, 2), Buffer.alloc(3), jpeg.subarray(2)]),
    "two frames": withSegment(jpeg, 0xc0, frame),
    "a length of 0": patched(jpeg, 0xdb, 2, 0, 0),
    "a length of 1": patched(jpeg, 0xdb, 2, 0, 1),
    "a length past the end": patched(jpeg, 0xdb, 2, 0xff, 0xff),
    "a frame a byte longer": patched(jpeg, 0xc0, 3, 18),
    "a scan without a frame": without(jpeg, 0xc0),
    "no tables": without(jpeg, 0xdb),
    "RGB by Adobe, YCbCr by JFIF": withSegment(withSegment(jpeg, 0xee, adobe(0)), 0xe0, jfif),
    "a short Adobe segment": withSegment(jpeg, 0xee, Buffer.from("Adobe\0")),
    "arithmetic conditioning": withSegment(jpeg, 0xcc, Buffer.of(0, 0)),
    "a height behind the scan": withSegment(jpeg, 0xdc, Buffer.of(0, 40)),
    "seven hundred comments": withComments(jpeg, 700),
    "restarts that are not there": greyWithRestarts(3, false),
  };
  for (const [name, bytes] of Object.entries(doubtful)) await ways.compare(name, bytes, { damaged: true });
  assert.equal(ways.cases.turbo, Object.keys(plain).length);
});

async function photograph(width: number, height: number): Promise<Buffer> {
  return sharp(groupPhotograph(1)).resize(width, height, { fit: "cover" }).png().toBuffer();
}

const adobe = (transform: number): Buffer => Buffer.from([...Buffer.from("Adobe\0d\0\0\0\0"), transform]);

const jfif = Buffer.from("JFIF\0\u0001\u0001\0\0\u0001\0\u0001\0\0", "latin1");

function without(jpeg: Buffer, marker: number): Buffer {
  const at = segmentOf(jpeg, marker);
  return Buffer.concat([jpeg.subarray(0, at), jpeg.subarray(at + 2 + jpeg.readUInt16BE(at + 2))]);
}

/** In the frame and in the scan. */
function withIds(jpeg: Buffer, ids: string[]): Buffer {
  let named = jpeg;
  for (const [index, id] of ids.entries()) {
    named = patched(named, 0xc0, 10 + 3 * index, id.charCodeAt(0));
    named = patched(named, 0xda, 5 + 2 * index, id.charCodeAt(0));
  }
  return named;
}

function withComments(jpeg: Buffer, count: number): Buffer {
  const comment = Buffer.of(0xff, 0xfe, 0, 2);
  return Buffer.concat([jpeg.subarray(0, 2), ...copies(comment, count), jpeg.subarray(2)]);
}

const copies = (bytes: Buffer, count: number): Buffer[] => Array.from({ length: count }, () => bytes);
