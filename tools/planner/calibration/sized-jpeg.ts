import sharp from "sharp";
import type { ImageSize } from "../trace/trace.ts";

/**
 * Makes a JPEG of exactly this many bytes, with this many pixels within 2% or a row and a column, from a
 * photograph: resized to a portrait of five to four, in the highest quality that fits, then filled up with
 * comments, which decoders skip. It is progressive if the photograph is, which takes twice as long to decode.
 * Where the photograph does not fit at the lowest quality, the JPEG has more bytes.
 */
export async function sizedJpeg(photograph: Buffer, { bytes, pixels }: ImageSize): Promise<Buffer> {
  const width = Math.max(sideMinPx, Math.round(Math.sqrt((4 / 5) * pixels)));
  const height = Math.max(sideMinPx, Math.round(pixels / width));
  const { isProgressive } = await sharp(photograph).metadata();
  const { data, info } = await sharp(photograph)
    .resize(width, height, { fit: "cover", position: "top" })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { channels } = info;
  const encode = (quality: number) =>
    sharp(data, { raw: { width, height, channels } })
      .jpeg({ quality, progressive: isProgressive })
      .toBuffer();

  let best = await encode(qualities[0]!);
  let [low, high] = [0, qualities.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const encoded = await encode(qualities[middle]!);
    if (encoded.length === bytes || encoded.length + commentBytesMin <= bytes) {
      low = middle;
      best = encoded;
    } else high = middle - 1;
  }
  return withComments(best, bytes);
}

/** Fills a JPEG up to `bytes` with comment segments (ITU T.81 B.2.4.5) behind its first marker. */
function withComments(jpeg: Buffer, bytes: number): Buffer {
  const segments: Buffer[] = [];
  for (let missing = bytes - jpeg.length; missing >= commentBytesMin; ) {
    // What is left must have room for a segment of its own.
    const rest = missing - commentBytesMax;
    const isTooShort = rest > 0 && rest < commentBytesMin;
    const length = isTooShort ? missing - commentBytesMin : Math.min(missing, commentBytesMax);
    const segment = Buffer.alloc(length);
    segment.writeUInt16BE(commentMarker, 0);
    segment.writeUInt16BE(length - 2, 2);
    segments.push(segment);
    missing -= length;
  }
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}

const commentMarker = 0xfffe;
/** The marker and the length, which counts itself and has 16 bits. */
const commentBytesMin = 4;
const commentBytesMax = 65_537;

const qualities = [5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99];
const sideMinPx = 16;
