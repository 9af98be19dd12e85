import { imageFormat } from "@faceline/contracts/image/format";
import sharp from "sharp";
import { type Picture, type PictureLimits, type Rejected, rejected } from "./picture.ts";

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
export async function decodeByLibvips(
  bytes: Uint8Array,
  limits: PictureLimits,
  known?: Header,
): Promise<Picture | Rejected> {
  const header = known ?? (await readHeader(bytes, limits));
  if (header.kind === "rejected") return header;
  try {
    return await readPixels(bytes, header, limits);
  } catch {
    // The header was good, so what follows it is cut short or damaged.
    return rejected("invalid_image");
  }
}

async function readHeader(bytes: Uint8Array, limits: PictureLimits): Promise<Header | Rejected> {
  if (imageFormat(bytes) === undefined) return rejected("unsupported_image_format");
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
    const side = Math.min(limits.shrunkSide, limits.longSideMax);
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

/** Width and height are those of the upright picture. */
type Header = { kind: "header"; width: number; height: number; cmyk: boolean; alpha: boolean };
