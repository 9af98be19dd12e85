import { addEdit, type Edit } from "./edits.ts";
import { exifOrientation, orientationTiff, upright } from "./exif-orientation.ts";
import type { JpegHeader, StoredImage } from "./header.ts";
import { jpegMarkers, walkJpegSegments } from "./jpeg-segments.ts";

/**
 * Describes a JPEG (ITU T.81 B.2) by its segments before the first scan, each of which is visited once. Of
 * the application and comment segments, only those stay that say what the components are (JFIF, Adobe) or,
 * for four components, the colour profile: libraries keep and copy each.
 */
export function describeJpeg(jpeg: Buffer): StoredImage | UnusualJpeg | undefined {
  const reader = new JpegReader(jpeg);
  walkJpegSegments(jpeg, 2, (...segment) => reader.visit(...segment));
  return reader.result;
}

/** A JPEG that no library here decodes. `unusual`: its kind, for a sentence. */
export type UnusualJpeg = { unusual: string };

class JpegReader {
  readonly #jpeg: Buffer;
  readonly #metadata: JpegMetadata;
  /** Undefined if it is damaged. */
  result: StoredImage | UnusualJpeg | undefined;
  #header: JpegHeader | undefined;
  #isPlain = true;
  #adobeTransform: number | undefined;
  #segments = 0;
  #at = 2;

  constructor(jpeg: Buffer) {
    this.#jpeg = jpeg;
    this.#metadata = new JpegMetadata(jpeg);
  }

  visit(marker: number, payloadAt: number, end: number): "continue" | "stop" {
    if (++this.#segments > segmentsMax || marker < jpegMarkers.baselineFrame) return "stop";
    this.#isPlain &&= payloadAt - 4 === this.#at && this.#isPlainSegment(marker, payloadAt, end);
    this.#at = end;
    if (marker === jpegMarkers.startOfScan) {
      this.#visitScan(payloadAt);
      return "stop";
    }
    if (isFrame(marker)) return this.#visitFrame(marker, payloadAt);
    if (isOfApplication(marker)) this.#metadata.visit(marker, payloadAt, end);
    return "continue";
  }

  #visitFrame(marker: number, payloadAt: number): "continue" | "stop" {
    const bits = this.#jpeg[payloadAt];
    if (this.#header !== undefined) {
      // A second frame is damage.
      this.#header = undefined;
      return "stop";
    }
    if (marker % 4 === 3) this.result = { unusual: "a lossless JPEG" };
    else if (!decodedFrames.has(marker)) this.result = { unusual: "a hierarchical JPEG" };
    else if (bits !== 8) this.result = { unusual: `a ${bits}-bit JPEG` };
    else this.#header = frameHeader(this.#jpeg, marker, payloadAt);
    return this.#header === undefined ? "stop" : "continue";
  }

  #visitScan(payloadAt: number): void {
    const header = this.#header;
    if (header === undefined || payloadAt >= this.#jpeg.length) return;
    // A sequential image with a scan for each component is kept whole, too.
    if (this.#jpeg[payloadAt]! < header.components) header.severalScans = true;
    const { severalScans } = header;
    const jpeg = { isPlain: this.#isPlain, severalScans, scanAt: payloadAt - 4 };
    this.result = { header, ...this.#metadata.end(header), jpeg };
  }

  /** Whether libjpeg-turbo may be trusted with it: see StoredImage. */
  #isPlainSegment(marker: number, payloadAt: number, end: number): boolean {
    if (end < payloadAt || end > this.#jpeg.length || this.#segments > plainSegmentsMax) return false;
    const payload = this.#jpeg.subarray(payloadAt, end);
    switch (marker) {
      case jpegMarkers.startOfScan:
        // 0 means that the components are red, green and blue. Grey has no colours to transform.
        if (this.#header?.components === 3 && (this.#adobeTransform ?? ycbcr) !== ycbcr) return false;
        return this.#header !== undefined && isPlainScan(payload, this.#header);
      case jpegMarkers.baselineFrame:
      case jpegMarkers.progressiveFrame:
        return isPlainFrame(payload);
      case jpegMarkers.app14:
        if (!startsWith(payload, 0, "Adobe")) return true;
        if (this.#adobeTransform !== undefined || payload.length < 12) return false;
        this.#adobeTransform = payload[11]!;
        return true;
      case jpegMarkers.huffmanTables:
      case jpegMarkers.quantisationTables:
      case jpegMarkers.restartInterval:
        return true;
      default:
        return isOfApplication(marker);
    }
  }
}

/** Orientation and edits of the segments of applications and comments. */
class JpegMetadata {
  readonly #jpeg: Buffer;
  readonly #edits: Edit[] = [];
  /** Cuts of the pieces of a colour profile. */
  readonly #profile: Edit[] = [];
  #isPlainProfile = true;
  #orientation: number | undefined;
  #isDamaged = false;

  constructor(jpeg: Buffer) {
    this.#jpeg = jpeg;
  }

  visit(marker: number, payloadAt: number, end: number): void {
    // A length of less than two bytes is damage, which libraries report.
    this.#isDamaged ||= end < payloadAt;
    if (this.#isDamaged || saysColours(this.#jpeg, marker, payloadAt)) return;
    const cut = { start: payloadAt - 4, end: Math.min(end, this.#jpeg.length) };
    if (marker === jpegMarkers.app2 && startsWith(this.#jpeg, payloadAt, profileName)) {
      this.#profile.push(cut);
      const [number] = this.#jpeg.subarray(payloadAt + profileName.length);
      const content = this.#jpeg.subarray(payloadAt + profileName.length + 2, end);
      this.#isPlainProfile &&= number === this.#profile.length && (number > 1 || hasPlainTags(content));
      return;
    }
    const isExif = marker === jpegMarkers.app1 && startsWith(this.#jpeg, payloadAt, "Exif");
    const isFirst = isExif && this.#orientation === undefined;
    if (isFirst) this.#orientation = exifOrientation(this.#jpeg.subarray(payloadAt, end));
    const isTurned = isFirst && this.#orientation !== upright;
    addEdit(this.#edits, isTurned ? { ...cut, bytes: exifSegment(this.#orientation!) } : cut);
  }

  /**
   * A profile is useful only for four components. It is cut if it is longer than any in use, if its pieces
   * are out of order, or if it has tags whose elements are processed one after the other: thousands may name
   * the same table, and a library copies it for each and runs them all. A file of 95 KB took 11 s that way,
   * and one of 460 KB 2.2 GB.
   */
  end({ components }: JpegHeader): { orientation: number; edits: Edit[] } {
    const bytes = this.#profile.reduce((sum, { start, end }) => sum + end - start, 0);
    const isKept = components === 4 && this.#isPlainProfile && bytes <= profileBytesMax;
    const edits = isKept
      ? this.#edits
      : [...this.#edits, ...this.#profile].toSorted((a, b) => a.start - b.start);
    return { orientation: this.#orientation ?? upright, edits };
  }
}

function frameHeader(jpeg: Buffer, marker: number, at: number): JpegHeader | undefined {
  const components = jpeg[at + 5] ?? 0;
  if (components < 1 || components > 4 || at + 6 + 3 * components > jpeg.length) return undefined;
  // Horizontal and vertical sampling factors, 1 to 4 each.
  const factors = Array.from({ length: components }, (_, i) => jpeg[at + 7 + 3 * i]!);
  const areas = factors.map((factor) => (factor >> 4) * (factor & 15));
  const unitArea =
    Math.max(...factors.map((each) => each >> 4)) * Math.max(...factors.map((each) => each & 15));
  return {
    format: "jpeg",
    width: jpeg.readUInt16BE(at + 3),
    height: jpeg.readUInt16BE(at + 1),
    components,
    samplesPerPixel: unitArea === 0 ? components : areas.reduce((sum, area) => sum + area, 0) / unitArea,
    // Arithmetic coding is rare and heavy.
    severalScans: marker !== jpegMarkers.baselineFrame && marker !== jpegMarkers.extendedFrame,
  };
}

function isPlainFrame(payload: Buffer): boolean {
  const components = payload[5]!;
  if ((components !== 1 && components !== 3) || payload.length !== 6 + 3 * components) return false;
  return Array.from({ length: components }, (_, i) => i).every((i) => {
    const sampling = payload[7 + 3 * i]!;
    const isLuma = i === 0 && components === 3;
    // Some decoders take other ids for RGB.
    return (
      payload[6 + 3 * i] === i + 1 &&
      (sampling === 0x11 || (isLuma && (sampling === 0x21 || sampling === 0x22)))
    );
  });
}

/** A baseline image in one scan, or the first scan of a progressive one. */
function isPlainScan(payload: Buffer, { components, severalScans }: JpegHeader): boolean {
  const count = payload[0] ?? 0;
  if (payload.length !== 4 + 2 * count) return false;
  return severalScans ? count >= 1 && count <= components : count === components;
}

/** Returns whether the first piece of a profile has all tags, without D2B0 to D2B3 (ICC.1 7.3, 9.2). */
function hasPlainTags(piece: Buffer): boolean {
  if (piece.length < tagsAt) return false;
  const end = tagsAt + tagBytes * piece.readUInt32BE(tagsAt - 4);
  if (end > piece.length) return false;
  for (let at = tagsAt; at < end; at += tagBytes) if (startsWith(piece, at, "D2B")) return false;
  return true;
}

/** Markers from 0xc0 to 0xcf that begin no frame: tables and an extension. */
const isFrame = (marker: number): boolean => marker >> 4 === 0xc && ![0xc4, 0xc8, 0xcc].includes(marker);

/** Frames that libraries decode: baseline, extended and progressive, with Huffman or arithmetic codes. */
const decodedFrames: ReadonlySet<number> = new Set([
  jpegMarkers.baselineFrame,
  jpegMarkers.extendedFrame,
  jpegMarkers.progressiveFrame,
  jpegMarkers.arithmeticFrame,
  jpegMarkers.arithmeticProgressiveFrame,
]);

const isOfApplication = (marker: number): boolean =>
  (marker >= jpegMarkers.app0 && marker <= jpegMarkers.app15) || marker === jpegMarkers.comment;

const saysColours = (jpeg: Buffer, marker: number, at: number): boolean =>
  (marker === jpegMarkers.app0 && startsWith(jpeg, at, "JFIF\0")) ||
  (marker === jpegMarkers.app14 && startsWith(jpeg, at, "Adobe"));

const startsWith = (bytes: Buffer, at: number, word: string): boolean =>
  bytes.toString("latin1", at, at + word.length) === word;

function exifSegment(orientation: number): Buffer {
  const payload = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), orientationTiff(orientation)]);
  return Buffer.concat([Buffer.of(0xff, jpegMarkers.app1, 0, 2 + payload.length), payload]);
}

/** Adobe's code for YCbCr. */
const ycbcr = 1;
const profileName = "ICC_PROFILE\0";
/** Behind the header of a profile and the number of its tags. */
const tagsAt = 132;
const tagBytes = 12;
/** Profiles of printers have up to 3 MB. */
const profileBytesMax = 4 * 2 ** 20;
/** Limit far above what encoders write. */
const segmentsMax = 10_000;
/** An ICC profile may be split into 255 segments, and XMP too. */
const plainSegmentsMax = 600;
