import type { InputFault } from "@faceline/contracts/http/errors";
import { decodingBytes } from "@faceline/contracts/image/decoding-bytes";
import { imageFormat } from "@faceline/contracts/image/format";
import { type ImageHeader, imageHeader, pixelsMaxOf } from "@faceline/contracts/image/header";
import type { PlainImage } from "./metadata/kept-bytes.ts";
import { withoutMetadata } from "./metadata/without-metadata.ts";
import sharp from "sharp";
import { uprightSize } from "./orientation.ts";
import { DecodeTimeout, type Image, type ImageLimits, type Rejected, rejected } from "./image.ts";

// Once per process. libvips reads about forty formats; a blocked loader cannot be attacked, and those of SVG
// and PDF would even fetch other files. No cache, because it would keep people's images. One thread for
// each image, because the decoder's limit counts images and the cores belong to the engine.
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
 * Decodes a client's bytes to pixels: upright, sRGB, 8 bits, three channels. libvips gets nothing but pixels
 * whose header was read and is within the limits. A bad image is an ordinary result with only a code,
 * because the messages of libvips may quote the file. Throws DecodeTimeout.
 */
export async function decodeWithLibvips(bytes: Uint8Array, limits: ImageLimits): Promise<Image | Rejected> {
  const stored = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (imageFormat(stored) === undefined) return rejected("unsupported_image_format");
  const header = imageHeader(stored);
  if (header === undefined) return rejected("invalid_image");
  const fault = faultOf(header, limits);
  if (fault !== undefined) return rejected(fault);
  const plain = withoutMetadata(stored);
  if (plain === undefined) return rejected("invalid_image");
  try {
    const size = await uprightSizeOf(plain, header);
    if (Math.min(size.width, size.height) < limits.sideMinPx) return rejected("image_too_small");
    return await readPixels(plain.image, { ...size, header }, limits);
  } catch (error) {
    if ((error as Error).message.startsWith("timeout: ")) throw new DecodeTimeout(limits.decodeMaxMs);
    // The header was good, so what follows it is cut short or damaged.
    return rejected("invalid_image");
  } finally {
    if (plain.image !== stored) plain.image.fill(0);
  }
}

/** Checks a header by the rules of the ingress, which has read it in the same way. */
function faultOf(header: ImageHeader, limits: ImageLimits): InputFault | undefined {
  if (header.width * header.height > pixelsMaxOf(header, limits.pixelsMax)) return "image_too_large";
  if (Math.min(header.width, header.height) < limits.sideMinPx) return "image_too_small";
  return decodingBytes(header) > limits.decodingBytesMax ? "image_too_large" : undefined;
}

/** An AVIF may be turned and cropped by its properties, in any order: its library knows. */
async function uprightSizeOf({ image, orientation }: PlainImage, header: ImageHeader) {
  if (header.format === "avif")
    return (await sharp(image, { limitInputPixels: false }).metadata()).autoOrient;
  return uprightSize({ ...header, orientation });
}

/** CMYK has no meaning without a profile. */
const isCmyk = (header: ImageHeader): boolean => header.format === "jpeg" && header.components === 4;

async function readPixels(bytes: Buffer, image: UprightImage, limits: ImageLimits): Promise<Image> {
  const decoding = sharp(bytes, {
    limitInputPixels: pixelsMaxOf(image.header, limits.pixelsMax),
    failOn: "truncated",
    // A colour profile changes a photograph by less than a passing cloud does, and costs a fifth of the
    // decoding.
    ignoreIcc: !isCmyk(image.header),
  }).autoOrient();
  // White, as on a page. Does nothing without an alpha channel.
  decoding.flatten({ background: "#ffffff" });
  if (Math.max(image.width, image.height) > limits.longSideMaxPx) {
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
    kind: "image",
    pixels: info.channels === 3 ? data : threeChannels(data, info.channels),
    width: info.width,
    height: info.height,
    originalWidth: image.width,
    originalHeight: image.height,
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

/** Width and height are those of the upright image. */
type UprightImage = { width: number; height: number; header: ImageHeader };
