import { crc32, deflateSync } from "node:zlib";

/**
 * Returns square images, of this `side`, with metadata that libraries inflate, copy, print or walk before
 * they decode the first pixel: they took a worker up to 2.6 GB, or half a minute.
 */
export function metadataBombs(
  { png, webp, jpeg }: Record<"png" | "webp" | "jpeg", Buffer>,
  { side = 32, frames = 20_000 } = {},
): Bombs {
  const letters = deflateSync(Buffer.alloc(7 << 20, "a"));
  const signs = deflateSync(Buffer.alloc(7 << 20, "€"));
  const many = Array.from({ length: 101 }, () => pngChunk("prIv", Buffer.of(1)));
  const texts = (count: number, type: string, head: string, content: Buffer) =>
    Array.from({ length: count }, (_, i) => pngText(type, `k${i}${head}`, content));
  const canvas = (flags: number, chunks: Buffer[]) => webpOf(flags, chunks, side);
  return {
    "a PNG of inflated letters": withPngChunks(png, texts(8, "zTXt", "\0\0", letters)),
    "a PNG of inflated signs": withPngChunks(png, texts(8, "iTXt", "\0\u0001\0\0\0", signs)),
    "a PNG of inflated letters and many chunks": withPngChunks(png, [
      ...texts(8, "zTXt", "\0\0", letters),
      ...many,
    ]),
    "a PNG of 90 inflated texts": withPngChunks(png, texts(90, "zTXt", "\0\0", letters)),
    "a PNG with an inflated profile": withPngChunks(
      png,
      texts(1, "iCCP", "\0\0", deflateSync(Buffer.alloc(50 << 20))),
    ),
    "a PNG of 20,000 texts": withPngChunks(png, [
      Buffer.alloc(15 * 20_000, pngText("tEXt", "k\0", Buffer.of(97))),
    ]),
    "a PNG with texts behind its pixels": withPngChunks(
      png,
      texts(8, "zTXt", "\0\0", letters),
      png.length - 12,
    ),
    "a PNG with 60 kB of EXIF": withPngChunks(png, [pngChunk("eXIf", wideExif)]),
    "a PNG of 20,000 empty pieces": withPngChunks(png, [
      Buffer.alloc(12 * 20_000, pngChunk("IDAT", Buffer.alloc(0))),
    ]),
    "a WebP with XMP": canvas(0x04, [...webpChunks(webp), riffChunk("XMP ", Buffer.alloc(8 << 20, "a"))]),
    "a WebP with a long profile": canvas(0x20, [
      riffChunk("ICCP", Buffer.alloc(8 << 20)),
      ...webpChunks(webp),
    ]),
    "a WebP with 60 kB of EXIF": canvas(0x08, [...webpChunks(webp), riffChunk("EXIF", wideExif)]),
    "a WebP of 20,000 unknown chunks": canvas(0, [
      Buffer.alloc(8 * 20_000, riffChunk("ABCD", Buffer.alloc(0))),
      ...webpChunks(webp),
    ]),
    "a WebP of many frames": canvas(0x02, animation(webp, { side, frames })),
    "a JPEG of 8 MB of applications": withSegments(jpeg, 0xe5, Buffer.alloc(65_000, "a"), 128),
    "a JPEG of 8 MB of a profile": withSegments(
      jpeg,
      0xe2,
      Buffer.alloc(65_000, "ICC_PROFILE\0\u0001\u0001"),
      128,
    ),
    "a JPEG with 60 kB of EXIF": withSegments(
      jpeg,
      0xe1,
      Buffer.concat([Buffer.from("Exif\0\0"), wideExif]),
      1,
    ),
  };
}

/** The PNG with chunks at an offset: by default behind its header. */
export function withPngChunks(png: Buffer, chunks: Buffer[], at = 33): Buffer {
  return Buffer.concat([png.subarray(0, at), ...chunks, png.subarray(at)]);
}

export function pngChunk(type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  checksum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, checksum]);
}

const pngText = (type: string, head: string, content: Buffer): Buffer =>
  pngChunk(type, Buffer.concat([Buffer.from(head, "latin1"), content]));

/** A WebP of a square canvas with these flags. */
export function webpOf(flags: number, chunks: Buffer[], side = 32): Buffer {
  const canvas = Buffer.alloc(10);
  canvas[0] = flags;
  canvas.writeUIntLE(side - 1, 4, 3);
  canvas.writeUIntLE(side - 1, 7, 3);
  const content = Buffer.concat([Buffer.from("WEBP"), riffChunk("VP8X", canvas), ...chunks]);
  const head = Buffer.from("RIFF----");
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content]);
}

export function riffChunk(type: string, content: Buffer): Buffer {
  const head = Buffer.from(`${type}----`, "latin1");
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length & 1)]);
}

/** The image of a WebP without a canvas. */
export const webpChunks = (webp: Buffer): Buffer[] => [webp.subarray(12)];

function animation(webp: Buffer, { side, frames }: { side: number; frames: number }): Buffer[] {
  const head = Buffer.alloc(16);
  head.writeUIntLE(side - 1, 6, 3);
  head.writeUIntLE(side - 1, 9, 3);
  const frame = riffChunk("ANMF", Buffer.concat([head, ...webpChunks(webp)]));
  return [riffChunk("ANIM", Buffer.alloc(6)), Buffer.alloc(frames * frame.length, frame)];
}

/** The JPEG with a segment this many times, and a fill byte, so that libvips decodes it. */
function withSegments(jpeg: Buffer, marker: number, payload: Buffer, count: number): Buffer {
  const head = Buffer.of(0xff, marker, (payload.length + 2) >> 8, (payload.length + 2) & 0xff);
  const segment = Buffer.concat([head, payload]);
  return Buffer.concat([
    jpeg.subarray(0, 2),
    Buffer.alloc(count * segment.length, segment),
    Buffer.of(0xff),
    jpeg.subarray(2),
  ]);
}

/** A directory of 5,000 entries that all point at the same 60 kB. */
const wideExif = ((): Buffer => {
  const tiff = Buffer.alloc(10 + 12 * 5_000 + 4);
  tiff.write("II*\0\b\0\0\0", "latin1");
  tiff.writeUInt16LE(5_000, 8);
  for (let at = 10, i = 0; i < 5_000; i++, at += 12) {
    tiff.writeUInt16LE(0x100 + (i % 80), at);
    tiff.writeUInt16LE(1, at + 2);
    tiff.writeUInt32LE(59_000, at + 4);
    tiff.writeUInt32LE(100, at + 8);
  }
  return tiff;
})();

type Bombs = Record<string, Buffer>;
