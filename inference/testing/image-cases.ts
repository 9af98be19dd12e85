/** One photograph in every form in which a client may send it, for tests. */
import turbojpeg from "@julusian/jpeg-turbo";
import sharp, { type JpegOptions } from "sharp";
import {
  type ExifFields,
  exifBlock,
  greyWithRestarts,
  greyWithScans,
  patched,
  segmentOffset,
  withSegment,
} from "./jpeg-cases.ts";

/** Every EXIF orientation, with pixels stored so that the image is upright in each. */
export async function* withOrientations(
  photograph: Photograph,
  sizes: readonly ImageSize[],
  encodings: readonly JpegOptions[] = [{}, { progressive: true, chromaSubsampling: "4:4:4" }],
): ImageCases {
  for (const [width, height] of sizes) {
    const upright = await photograph(width, height);
    for (let orientation = 1; orientation <= 8; orientation++) {
      const stored = await storedAs(orientation, upright);
      for (const options of encodings) {
        const bytes = await sharp(stored).jpeg(options).withMetadata({ orientation }).toBuffer();
        yield { name: `${width} x ${height}, orientation ${orientation}`, bytes };
      }
    }
  }
}

/**
 * Every chroma subsampling, with sides that end anywhere in a block. The last of each four, 4:4:0, is
 * unusual.
 */
export async function* withSubsamplings(photograph: Photograph, sizes: readonly ImageSize[]): ImageCases {
  for (const [width, height] of sizes) {
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
      const bytes = turbojpeg.compressSync(rgb, options);
      yield { name: `${width} x ${height}, subsampling ${subsampling}`, bytes };
    }
  }
}

/**
 * Every quality and encoding, grey, with a colour profile, by an encoder that searches for the best scans.
 */
export async function* withEncodings(image: Buffer): ImageCases {
  for (const quality of [1, 10, 30, 50, 75, 90, 95, 98, 100]) {
    for (const options of encodings) {
      const bytes = await sharp(image)
        .jpeg({ quality, ...options })
        .toBuffer();
      yield { name: `quality ${quality}, ${JSON.stringify(options)}`, bytes };
    }
    const grey = await sharp(image).greyscale().jpeg({ quality }).toBuffer();
    yield { name: `quality ${quality}, grey`, bytes: grey };
    const p3 = await sharp(image).withIccProfile("p3").jpeg({ quality }).toBuffer();
    yield { name: `quality ${quality}, P3`, bytes: p3 };
  }
}

/** Truncated at every tenth, near the end, and throughout the header. */
export async function* truncated(photograph: Buffer): ImageCases {
  for (const options of encodings) {
    const jpeg = await sharp(photograph).jpeg(options).withMetadata({ orientation: 6 }).toBuffer();
    for (let tenth = 0; tenth < 10; tenth++) {
      yield { name: `${tenth} tenths`, bytes: jpeg.subarray(0, (tenth * jpeg.length) / 10) };
    }
    // The last two are the end marker.
    for (const lacking of [3, 10]) {
      yield { name: `all but ${lacking}`, bytes: jpeg.subarray(0, -lacking) };
    }
    const data = segmentOffset(jpeg, 0xda);
    for (let at = 2; at < data + 14; at += 17) yield { name: `${at} bytes`, bytes: jpeg.subarray(0, at) };
  }
}

/** Images that are no plain JPEG, and some that only pretend to be none. */
export async function* notPlain(photograph: Buffer): ImageCases {
  const image = sharp(photograph);
  const jpeg = await image.clone().jpeg({ chromaSubsampling: "4:4:4" }).toBuffer();
  const frame = await image.clone().png().toBuffer();
  const animated = sharp([frame, await image.clone().negate().png().toBuffer()], {
    join: { animated: true },
  });
  for (const [name, bytes] of Object.entries({
    "PNG of a palette": await image.clone().png({ palette: true }).toBuffer(),
    "PNG of 16 bits": await image.clone().toColourspace("rgb16").png().toBuffer(),
    "grey PNG": await image.clone().greyscale().png().toBuffer(),
    "PNG with alpha": await image.clone().ensureAlpha(0.5).png().toBuffer(),
    "WebP with alpha": await image.clone().ensureAlpha(0.5).webp().toBuffer(),
    "animated WebP": await animated.clone().webp().toBuffer(),
    GIF: await animated.clone().gif().toBuffer(),
    AVIF: await image.clone().avif().toBuffer(),
    TIFF: await image.clone().tiff().toBuffer(),
    "CMYK JPEG": await image.clone().toColourspace("cmyk").jpeg().toBuffer(),
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
    yield { name, bytes, damaged: name.startsWith("extended") };
  }
}

/** EXIF blocks that are well-formed. */
export function withPlainExif(jpeg: Buffer): ImageCase[] {
  const exif = (fields: ExifFields) => withSegment(jpeg, 0xe1, exifBlock(fields));
  return named({
    "little-endian": exif(rotatedExif),
    "big-endian": exif({ ...rotatedExif, order: "MM" }),
    "behind the tables": withSegment(jpeg, 0xe1, exifBlock(rotatedExif), 3),
    "nothing in it": exif({ entries: [] }),
    "no orientation": exif({ entries: [{ tag: 0x0100, value: 5 }] }),
    "after others": exif({ entries: [{ tag: 0x0100, value: 5 }, { value: 8 }] }),
    "XMP beside it": withSegment(
      exif(rotatedExif),
      0xe1,
      Buffer.from("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>"),
    ),
  });
}

/** EXIF blocks that are malformed or contradict themselves. */
export function withDoubtfulExif(jpeg: Buffer): ImageCase[] {
  const exif = (fields: ExifFields) => withSegment(jpeg, 0xe1, exifBlock(fields));
  return named({
    "two blocks": withSegment(exif(rotatedExif), 0xe1, exifBlock({ entries: [{ value: 3 }] })),
    "two blocks, the first empty": withSegment(exif(rotatedExif), 0xe1, exifBlock({ entries: [] })),
    "two orientations": exif({ entries: [{ value: 6 }, { value: 3 }] }),
    "orientation 0": exif({ entries: [{ value: 0 }] }),
    "orientation 9": exif({ entries: [{ value: 9 }] }),
    "orientation of four bytes": exif({ entries: [{ type: 4, value: 6 }] }),
    "orientation of one byte": exif({ entries: [{ type: 1, value: 6 }] }),
    "orientation of an unknown type": exif({ entries: [{ type: 99, value: 6 }] }),
    "two values": exif({ entries: [{ values: 2, value: 6 }] }),
    "no value": exif({ entries: [{ values: 0, value: 6 }] }),
    "a wild count of values": exif({ entries: [{ values: 0xffff_ffff, value: 6 }] }),
    "more entries than there are": exif({ ...rotatedExif, count: 500 }),
    "a directory elsewhere": exif({ ...rotatedExif, directoryAt: 9 }),
    "a directory far away": exif({ ...rotatedExif, directoryAt: 0xffff_fff0 }),
    "no byte order": exif({ ...rotatedExif, order: "XX" }),
    "Exif and no more": withSegment(jpeg, 0xe1, Buffer.from("Exif")),
    "Exif in other words": withSegment(
      jpeg,
      0xe1,
      Buffer.from("Exiftool was here, and what follows is text"),
    ),
    "half a header": withSegment(jpeg, 0xe1, exifBlock(rotatedExif).subarray(0, 13)),
    "half an entry": withSegment(jpeg, 0xe1, exifBlock(rotatedExif).subarray(0, 22)),
  });
}

/** Segments in unusual positions, numbers and lengths that are still plain. */
export function withPlainSegments(jpeg: Buffer, second: Buffer): ImageCase[] {
  return named({
    "a comment": withSegment(jpeg, 0xfe, Buffer.from("hello")),
    "an empty comment": withSegment(jpeg, 0xfe, Buffer.alloc(0)),
    "a long comment": withSegment(jpeg, 0xfe, Buffer.alloc(65_533)),
    "garbage behind the end": Buffer.concat([jpeg, Buffer.alloc(999, 0xab)]),
    "a second image behind the end": Buffer.concat([jpeg, second]),
    "YCbCr by Adobe": withSegment(jpeg, 0xee, adobe(1)),
    "YCbCr by JFIF": withSegment(jpeg, 0xe0, jfif),
    restarts: greyWithRestarts(3),
    "as many scans as there may be": greyWithScans(100),
  });
}

/** Segments that make a header doubtful. */
export function withDoubtfulSegments(jpeg: Buffer): ImageCase[] {
  const frame = jpeg.subarray(segmentOffset(jpeg, 0xc0) + 4, segmentOffset(jpeg, 0xc0) + 19);
  return named(
    {
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
    },
    { damaged: true },
  );
}

/** An upright image as a camera stores it with this EXIF orientation (1 to 8). A PNG without EXIF. */
export async function storedAs(orientation: number, upright: Buffer): Promise<Buffer> {
  const mirrored = [2, 4, 5, 7].includes(orientation);
  const angle = [0, 0, 0, 180, 180, 270, 270, 90, 90][orientation]!;
  const source = mirrored ? await sharp(upright).flop().png().toBuffer() : upright;
  return sharp(source).rotate(angle).png().toBuffer();
}

function named(images: Record<string, Buffer>, { damaged = false } = {}): ImageCase[] {
  return Object.entries(images).map(([name, bytes]) => ({ name, bytes, damaged }));
}

const encodings: readonly JpegOptions[] = [
  {},
  { progressive: true },
  { mozjpeg: true },
  { chromaSubsampling: "4:4:4" },
];

/** Images of a few rows or columns. */
export const thinSizes: readonly ImageSize[] = [
  [1, 1],
  [1, 2],
  [3, 1],
  [1, 61],
  [61, 1],
  [2, 100],
];

const rotatedExif = { entries: [{ value: 6 }] };

function adobe(transform: number): Buffer {
  return Buffer.from([...Buffer.from("Adobe\0d\0\0\0\0"), transform]);
}

const jfif = Buffer.from("JFIF\0\u0001\u0001\0\0\u0001\0\u0001\0\0", "latin1");

function without(jpeg: Buffer, marker: number): Buffer {
  const at = segmentOffset(jpeg, marker);
  return Buffer.concat([jpeg.subarray(0, at), jpeg.subarray(at + 2 + jpeg.readUInt16BE(at + 2))]);
}

/** Replaces the component ids in the frame and in the scan. */
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

function copies(bytes: Buffer, count: number): Buffer[] {
  return Array.from({ length: count }, () => bytes);
}

/** The photograph as a PNG of this size. */
type Photograph = (width: number, height: number) => Promise<Buffer>;

/** An image. If `damaged`, its pixels are undefined, and only its size and error code are compared. */
export type ImageCase = { name: string; bytes: Buffer; damaged?: boolean };

type ImageSize = readonly [width: number, height: number];

type ImageCases = AsyncGenerator<ImageCase, void>;
