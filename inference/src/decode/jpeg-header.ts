import { imageFormat } from "@faceline/contracts/image/format";
import { exifOrientation } from "./exif.ts";

/**
 * The header of a JPEG that is as almost all are: baseline or progressive, 8 bits, grey or YCbCr, chroma of full or half
 * the size, laid out as ITU T.81 B has it and saying nothing twice. Undefined: there is a doubt about it, and libvips has
 * to look. It is a microsecond where libvips takes 0.3 ms. Reads a bounded number of segments, whatever they hold.
 */
export function plainJpeg(bytes: Uint8Array): PlainJpeg | undefined {
  if (imageFormat(bytes) !== "jpeg") return undefined;
  const jpeg = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let frame: Frame | undefined;
  let exif: number | undefined;
  let adobe: number | undefined;
  let at = 2;
  for (let segment = 0; segment < SEGMENTS_MAX && at + 4 <= jpeg.length; segment++) {
    const marker = jpeg[at + 1]!;
    const length = jpeg.readUInt16BE(at + 2);
    const end = at + 2 + length;
    if (jpeg[at] !== 0xff || length < 2 || end > jpeg.length) return undefined;
    const payload = jpeg.subarray(at + 4, end);
    if (marker === SOS) {
      if (frame === undefined || !plainScan(payload, frame)) return undefined;
      // 0: the components are red, green and blue. Grey has no colours to transform.
      if (frame.components === 3 && (adobe ?? YCBCR) !== YCBCR) return undefined;
      const { width, height, progressive } = frame;
      return { width, height, orientation: exif ?? 1, progressive };
    }
    if (marker === BASELINE || marker === PROGRESSIVE) {
      if (frame !== undefined) return undefined;
      frame = plainFrame(payload, marker === PROGRESSIVE);
      if (frame === undefined) return undefined;
    } else if (marker === APP1 && startsWith(payload, "Exif")) {
      if (exif !== undefined) return undefined;
      exif = exifOrientation(payload);
      if (exif === undefined) return undefined;
    } else if (marker === APP14 && startsWith(payload, "Adobe")) {
      if (adobe !== undefined || payload.length < 12) return undefined;
      adobe = payload[11]!;
    } else if (!passedOver(marker)) return undefined;
    at = end;
  }
  return undefined;
}

function plainFrame(payload: Buffer, progressive: boolean): Frame | undefined {
  if (payload.length < 9 || payload[0] !== 8) return undefined;
  const components = payload[5]!;
  if ((components !== 1 && components !== 3) || payload.length !== 6 + 3 * components) return undefined;
  for (let i = 0; i < components; i++) {
    // Some decoders take other ids for RGB.
    if (payload[6 + 3 * i] !== i + 1) return undefined;
    const sampling = payload[7 + 3 * i]!;
    const chroma = i > 0 || components === 1;
    if (!(sampling === 0x11 || (!chroma && (sampling === 0x21 || sampling === 0x22)))) return undefined;
  }
  const [height, width] = [payload.readUInt16BE(1), payload.readUInt16BE(3)];
  return height > 0 && width > 0 ? { width, height, components, progressive } : undefined;
}

/** A baseline picture in one scan; the first scan of a progressive one. */
function plainScan(payload: Buffer, { components, progressive }: Frame): boolean {
  const count = payload[0] ?? 0;
  if (payload.length !== 4 + 2 * count) return false;
  return progressive ? count >= 1 && count <= components : count === components;
}

/** Comments, tables, restart interval, and what applications leave. */
const passedOver = (marker: number): boolean =>
  (marker >= 0xe0 && marker <= 0xef) ||
  marker === 0xfe ||
  marker === 0xdb ||
  marker === 0xc4 ||
  marker === 0xdd;

const startsWith = (payload: Buffer, word: string): boolean =>
  payload.toString("latin1", 0, word.length) === word;

const BASELINE = 0xc0;
const PROGRESSIVE = 0xc2;
const APP1 = 0xe1;
const APP14 = 0xee;
const SOS = 0xda;
const YCBCR = 1;
/** A colour profile may be cut into 255 segments, and XMP likewise. */
const SEGMENTS_MAX = 600;
/** Width and height as they lie in the file, before the orientation (EXIF, 1 to 8) is applied. */
export type PlainJpeg = { width: number; height: number; orientation: number; progressive: boolean };

type Frame = { width: number; height: number; components: number; progressive: boolean };
