import type { InputFault } from "@faceline/contracts/errors";
import sharp from "sharp";
import { formatOf } from "./format.ts";

// Once per process. libvips reads some forty formats; what is blocked here cannot be attacked. SVG and PDF would even
// fetch other files. No cache: it would keep people's pictures. One thread per picture: the decoder's bound counts
// pictures, and the cores belong to the engine.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: ["VipsForeignLoadJpegBuffer", "VipsForeignLoadPngBuffer", "VipsForeignLoadWebpBuffer"],
});
sharp.cache(false);
sharp.concurrency(1);

/**
 * Bytes as a client sent them → pixels: upright, sRGB, 8 bits, three channels. A bad picture is an ordinary result and
 * nothing of it is told but a code: what libvips says may quote the file.
 */
export async function decodePicture(bytes: Uint8Array, limits: PictureLimits): Promise<Picture | Rejected> {
  const header = await readHeader(bytes, limits);
  if (header.kind === "rejected") return header;
  try {
    return await readPixels(bytes, header, limits);
  } catch {
    // The header was good, so what follows it is cut short or damaged.
    return rejected("invalid_image");
  }
}

async function readHeader(bytes: Uint8Array, limits: PictureLimits): Promise<Header | Rejected> {
  if (formatOf(bytes) === undefined) return rejected("unsupported_image_format");
  try {
    // Without sharp's own limit, so that a picture which is too large is told from one that is damaged: nothing is
    // allocated for a header.
    const header = await sharp(bytes, { limitInputPixels: false }).metadata();
    const { width, height } = header.autoOrient;
    if (width * height > limits.pixelsMax) return rejected("image_too_large");
    if (Math.min(width, height) < limits.sideMin) return rejected("image_too_small");
    return { kind: "header", width, height, cmyk: header.space === "cmyk", alpha: header.hasAlpha };
  } catch {
    return rejected("invalid_image");
  }
}

async function readPixels(bytes: Uint8Array, header: Header, limits: PictureLimits): Promise<Picture> {
  const decoding = sharp(bytes, {
    limitInputPixels: limits.pixelsMax,
    failOn: "truncated",
    // A profile moves the colours of a photograph by less than a cloud does, and costs a fifth of the decoding. CMYK
    // means nothing without one.
    ignoreIcc: !header.cmyk,
  }).autoOrient();
  // White, as on a page. Only where there is something to flatten: it is a pass over all pixels.
  if (header.alpha) decoding.flatten({ background: "#ffffff" });
  if (Math.max(header.width, header.height) > limits.longSideMax) {
    const side = limits.longSideMax;
    decoding.resize({ width: side, height: side, fit: "inside", kernel: "linear" });
  }
  const { data, info } = await decoding
    .toColourspace("srgb")
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true });
  return {
    kind: "picture",
    pixels: info.channels === 3 ? data : threeChannels(data, info.channels),
    width: info.width,
    height: info.height,
    originalWidth: header.width,
    originalHeight: header.height,
  };
}

/** Grey comes as one channel or two from some files, whatever colour space was asked for. */
function threeChannels(data: Uint8Array, channels: number): Uint8Array {
  const pixels = data.length / channels;
  const rgb = new Uint8Array(3 * pixels);
  for (let i = 0; i < pixels; i++) {
    const grey = channels < 3;
    rgb[3 * i] = data[channels * i]!;
    rgb[3 * i + 1] = data[channels * i + (grey ? 0 : 1)]!;
    rgb[3 * i + 2] = data[channels * i + (grey ? 0 : 2)]!;
  }
  data.fill(0);
  return rgb;
}

function rejected(code: InputFault): Rejected {
  return { kind: "rejected", code };
}

export type PictureLimits = {
  /** Width times height as the header tells them: refused before a pixel is allocated. */
  pixelsMax: number;
  /** The least width and height. */
  sideMin: number;
  /** Larger ones are shrunk until their long side has this length: it bounds the memory that a picture takes. */
  longSideMax: number;
};

/** The limits that the API promises, and what the models' accuracy was measured with. */
export const pictureLimits: PictureLimits = { pixelsMax: 40_000_000, sideMin: 16, longSideMax: 1600 };

/** Upright. Faces are found in `width` x `height` pixels and answered in those of the original. */
export type Picture = {
  kind: "picture";
  /** RGB, row by row, 8 bits. */
  pixels: Uint8Array;
  width: number;
  height: number;
  originalWidth: number;
  originalHeight: number;
};

/** The input is at fault. */
export type Rejected = { kind: "rejected"; code: InputFault };

type Header = { kind: "header"; width: number; height: number; cmyk: boolean; alpha: boolean };
