import { type AvifHeader, avifImage } from "./avif/image.ts";
import { imageFormat } from "./format.ts";
import { jpegFrames, jpegMarkers, jpegSegmentsMax, walkJpegSegments } from "./jpeg-segments.ts";
import { pngHeaderEnd, pngTypes, walkPngChunks } from "./png-chunks.ts";

/**
 * Returns what the header of an image says, or undefined if it is damaged. No library reads it: libraries
 * read everything before the pixels, and this takes a microsecond, or at most a few milliseconds for each
 * megabyte of a file that was made to be slow. Never throws. (JPEG: ITU T.81 B.2; PNG: W3C PNG 11.2.1,
 * 11.3.1; WebP: RFC 9649 2.)
 */
export function imageHeader(image: Buffer): ImageHeader | undefined {
  const header = readers[imageFormat(image) ?? "none"](image);
  return header !== undefined && header.width > 0 && header.height > 0 ? header : undefined;
}

/**
 * Returns the most pixels that an image may have. A JPEG of one scan may have five times `pixelsMax`, as
 * phones take images of 48 to 200 megapixels: it is decoded row by row to an eighth of its size, which takes
 * little memory, and its side must then be within the largest that is not shrunk.
 */
export function pixelsMaxOf(header: ImageHeader, pixelsMax: number): number {
  const isScaled = header.format === "jpeg" && !header.severalScans && header.components <= 3;
  return isScaled && Math.max(header.width, header.height) <= scaledSideMaxPx ? 5 * pixelsMax : pixelsMax;
}

const scaledSideMaxPx = 8 * 2_560;

/** Returns the kind of a JPEG that no library here decodes, for a sentence; undefined: it is of another. */
export function unusualJpeg(image: Buffer): string | undefined {
  let kind: string | undefined;
  if (imageFormat(image) !== "jpeg") return undefined;
  walkJpegSegments(image, "header", (marker, payloadAt) => {
    // Of the frames' markers, these three are none. (ITU T.81 B.1)
    if (marker >> 4 !== 0xc || [0xc4, 0xc8, 0xcc].includes(marker)) return "continue";
    if (marker % 4 === 3) kind = "a lossless JPEG";
    else if (!jpegFrames.has(marker)) kind = "a hierarchical JPEG";
    else if (image[payloadAt] !== 8) kind = `a ${image[payloadAt]}-bit JPEG`;
    return "stop";
  });
  return kind;
}

/** Shortest side of an image that is decoded: fewer pixels of a face do not tell people apart. */
export const imageSideMinPx = 16;

const readers = {
  jpeg: jpegHeader,
  png: pngHeader,
  webp: webpHeader,
  avif: (image: Buffer) => avifImage(image)?.header,
  none: () => undefined,
};

/** Almost all have adjacent segments, which takes no search. */
function jpegHeader(image: Buffer): JpegHeader | undefined {
  return jpegHeaderIn(image, "header") ?? jpegHeaderIn(image, "file");
}

function jpegHeaderIn(image: Buffer, extent: "header" | "file"): JpegHeader | undefined {
  let header: JpegHeader | undefined;
  let isWhole = false;
  let segments = 0;
  walkJpegSegments(image, extent, (marker, payloadAt) => {
    if (++segments > jpegSegmentsMax) return "stop";
    if (marker === jpegMarkers.startOfScan) {
      isWhole = header !== undefined && payloadAt < image.length;
      // A sequential image with a scan for each component is kept whole, too.
      if (header !== undefined && image[payloadAt]! < header.components) header.severalScans = true;
      return "stop";
    }
    if (marker < jpegMarkers.baselineFrame) return "stop";
    if (!jpegFrames.has(marker)) return "continue";
    if (header !== undefined) return "stop";
    header = jpegFrame(image, marker, payloadAt);
    return header === undefined ? "stop" : "continue";
  });
  return isWhole ? header : undefined;
}

function jpegFrame(image: Buffer, marker: number, at: number): JpegHeader | undefined {
  const components = image[at + 5] ?? 0;
  if (image[at] !== 8) return undefined;
  if (components < 1 || components > 4 || at + 6 + 3 * components > image.length) return undefined;
  // Horizontal and vertical sampling factors, 1 to 4 each.
  const factors = Array.from({ length: components }, (_, i) => image[at + 7 + 3 * i]!);
  const areas = factors.map((factor) => (factor >> 4) * (factor & 15));
  const unitArea =
    Math.max(...factors.map((each) => each >> 4)) * Math.max(...factors.map((each) => each & 15));
  return {
    format: "jpeg",
    width: image.readUInt16BE(at + 3),
    height: image.readUInt16BE(at + 1),
    components,
    samplesPerPixel: unitArea === 0 ? components : areas.reduce((sum, area) => sum + area, 0) / unitArea,
    // Arithmetic coding is rare and heavy.
    severalScans: marker !== jpegMarkers.baselineFrame && marker !== jpegMarkers.extendedFrame,
  };
}

function pngHeader(image: Buffer): PngHeader | undefined {
  if (
    image.length < pngHeaderEnd ||
    image.readUInt32BE(8) !== 13 ||
    image.toString("latin1", 12, 16) !== "IHDR"
  ) {
    return undefined;
  }
  const colours = pngColourChannels[image[25]!];
  const isTransparent = hasTransparencyChunk(image);
  if (colours === undefined || isTransparent === undefined) return undefined;
  return {
    format: "png",
    width: image.readUInt32BE(16),
    height: image.readUInt32BE(20),
    channels: colours + (isTransparent ? 1 : 0),
    bytesPerSample: image[24] === 16 ? 2 : 1,
    interlaced: image[28] !== 0,
  };
}

/** Channels by colour type: grey, RGB, palette (decoded to RGB), grey with alpha, RGB with alpha. */
const pngColourChannels: Record<number, number> = { 0: 1, 2: 3, 3: 3, 4: 2, 6: 4 };

/** Whether a tRNS chunk comes before the pixels, which adds a channel. Undefined: there are no pixels. */
function hasTransparencyChunk(image: Buffer): boolean | undefined {
  let isTransparent: boolean | undefined;
  walkPngChunks(image, (type) => {
    if (type !== pngTypes.transparency && type !== pngTypes.pixels) return "continue";
    isTransparent = type === pngTypes.transparency;
    return "stop";
  });
  return isTransparent;
}

function webpHeader(image: Buffer): WebpHeader | undefined {
  if (image.length < 25) return undefined;
  switch (image.toString("latin1", 12, 16)) {
    case "VP8X": {
      if (image.length < 30) return undefined;
      const [width, height] = [1 + image.readUIntLE(24, 3), 1 + image.readUIntLE(27, 3)];
      return { format: "webp", width, height, coding: "extended" };
    }
    case "VP8 ":
      if (image.length < 30 || image.readUIntBE(23, 3) !== 0x9d012a) return undefined;
      return {
        format: "webp",
        width: image.readUInt16LE(26) & 0x3fff,
        height: image.readUInt16LE(28) & 0x3fff,
        coding: "lossy",
      };
    case "VP8L": {
      if (image[20] !== 0x2f) return undefined;
      const packed = image.readUInt32LE(21);
      const [width, height] = [1 + (packed & 0x3fff), 1 + ((packed >>> 14) & 0x3fff)];
      return { format: "webp", width, height, coding: "lossless" };
    }
    default:
      return undefined;
  }
}

/** Width and height are those of the stored image, before any rotation that its metadata ask for. */
export type ImageHeader = JpegHeader | PngHeader | WebpHeader | AvifHeader;

type JpegHeader = {
  format: "jpeg";
  width: number;
  height: number;
  components: number;
  /** Samples of all components for each pixel: 1.5 with chroma of half size, 3 with chroma of full size. */
  samplesPerPixel: number;
  /** Progressive, or a scan for each component: nothing can be decoded before all of it was read. */
  severalScans: boolean;
};

type PngHeader = {
  format: "png";
  width: number;
  height: number;
  /** Channels after decoding: a palette has three, or four where it has transparent colours. */
  channels: number;
  bytesPerSample: 1 | 2;
  interlaced: boolean;
};

type WebpHeader = {
  format: "webp";
  width: number;
  height: number;
  /** `extended` may be lossless, transparent or animated. */
  coding: "lossy" | "lossless" | "extended";
};
