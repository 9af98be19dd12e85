import { decodingBytes } from "@faceline/contracts/image/decoding-bytes";
import { imageFormat } from "@faceline/contracts/image/format";
import { imageHeaderOf, plainImageHeader } from "@faceline/contracts/image/header";
import sharp, { type Metadata } from "sharp";
import { DecodeTimeout, type Picture, type PictureLimits, type Rejected, rejected } from "./picture.ts";

// Once per process. libvips reads about forty formats; a blocked loader cannot be attacked, and those of SVG
// and PDF would even fetch other files. No cache, because it would keep people's pictures. One thread for
// each picture, because the decoder's limit counts pictures and the cores belong to the engine.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: [
    "VipsForeignLoadJpegBuffer",
    "VipsForeignLoadPngBuffer",
    "VipsForeignLoadWebpBuffer",
    "VipsForeignLoadHeifBuffer",
  ],
});
sharp.cache(false);
sharp.concurrency(1);

/**
 * Decodes a client's bytes to pixels: upright, sRGB, 8 bits, three channels. A bad picture is an ordinary
 * result with only a code, because the messages of libvips may quote the file. `known` saves reading the
 * header. Throws DecodeTimeout. decoder.test.ts covers it.
 */
export async function decodeWithLibvips(
  bytes: Uint8Array,
  limits: PictureLimits,
  known?: Header,
): Promise<Picture | Rejected> {
  const header = known ?? (await readHeader(bytes, limits));
  if (header.kind === "rejected") return header;
  try {
    return await readPixels(bytes, header, limits);
  } catch (error) {
    if ((error as Error).message.startsWith("timeout: ")) throw new DecodeTimeout(limits.decodeMaxMs);
    // The header was good, so what follows it is cut short or damaged.
    return rejected("invalid_image");
  }
}

async function readHeader(bytes: Uint8Array, limits: PictureLimits): Promise<Header | Rejected> {
  const format = imageFormat(bytes);
  if (format === undefined) return rejected("unsupported_image_format");
  // libheif decodes whole: it may open only what the reader of headers has understood.
  if (format === "avif" && plainImageHeader(asBuffer(bytes)) === undefined) return rejected("invalid_image");
  try {
    // Without sharp's own limit, which would make a large picture look like a damaged one. A header allocates
    // nothing.
    const header = await sharp(bytes, { limitInputPixels: false }).metadata();
    const { width, height } = header.autoOrient;
    if (width * height > limits.pixelsMax) return rejected("image_too_large");
    if (Math.min(width, height) < limits.sideMinPx) return rejected("image_too_small");
    if (takesTooMuchMemory(bytes, header, limits)) return rejected("image_too_large");
    return { kind: "header", width, height, cmyk: header.space === "cmyk", alpha: header.hasAlpha };
  } catch {
    return rejected("invalid_image");
  }
}

/** By the same reckoning as the ingress, which has read the header in the same way. */
function takesTooMuchMemory(bytes: Uint8Array, metadata: Metadata, limits: PictureLimits): boolean {
  const plain = plainImageHeader(asBuffer(bytes));
  const header = plain ?? imageHeaderOf(metadata);
  return header === undefined || decodingBytes(header) > limits.decodingBytesMax;
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

async function readPixels(bytes: Uint8Array, header: Header, limits: PictureLimits): Promise<Picture> {
  const decoding = sharp(bytes, {
    limitInputPixels: limits.pixelsMax,
    failOn: "truncated",
    // A colour profile changes a photograph by less than a passing cloud does, and costs a fifth of the
    // decoding. CMYK has no meaning without one.
    ignoreIcc: !header.cmyk,
  }).autoOrient();
  // White, as on a page. Only where there is an alpha channel, because it is a pass over all pixels.
  if (header.alpha) decoding.flatten({ background: "#ffffff" });
  if (Math.max(header.width, header.height) > limits.longSideMaxPx) {
    const side = Math.min(limits.shrunkSidePx, limits.longSideMaxPx);
    decoding.resize({ width: side, height: side, fit: "inside", kernel: "linear" });
  }
  // Counts whole seconds of decoding, not the wait for a thread.
  decoding.timeout({ seconds: Math.ceil(limits.decodeMaxMs / 1_000) });
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

/** Some grey files give one or two channels, whatever colour space was requested. */
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
