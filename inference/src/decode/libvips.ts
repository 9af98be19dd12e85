import type { InputFault } from "@faceline/contracts/http/errors";
import { decodingBytes } from "@faceline/images/decoding-bytes";
import type { ImageDescription } from "@faceline/images/describe";
import { applyEdits } from "@faceline/images/edits";
import { type ImageHeader, pixelsMaxOf, type StoredImage } from "@faceline/images/header";
import sharp from "sharp";
import type { Size } from "../geometry/pixels.ts";
import { DecodeTimeout, type Image, type ImageLimits, type Rejected, rejected } from "./image.ts";
import { uprightSize } from "./orientation.ts";

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
export async function decodeWithLibvips(
  bytes: Buffer,
  description: ImageDescription,
  limits: ImageLimits,
): Promise<Image | Rejected> {
  if (description.kind === "unknown") return rejected("unsupported_image_format");
  if (description.kind !== "image") return rejected("invalid_image");
  const { header } = description;
  const fault = headerFault(header, limits);
  if (fault !== undefined) return rejected(fault);
  if (description.edits === undefined) return rejected("invalid_image");
  const plain = applyEdits(bytes, description.edits);
  try {
    const size = await uprightSizeOf(plain, description);
    if (Math.min(size.width, size.height) < limits.sideMinPx) return rejected("image_too_small");
    return await readPixels(plain, { ...size, header }, limits);
  } catch (error) {
    if ((error as Error).message.startsWith("timeout: ")) throw new DecodeTimeout(limits.decodeMaxMs);
    // The header was good, so the rest is truncated or damaged.
    return rejected("invalid_image");
  } finally {
    if (plain !== bytes) plain.fill(0);
  }
}

/** Returns why an image is rejected by its header, as by the ingress. Undefined: it is within the limits. */
export function headerFault(header: ImageHeader, limits: ImageLimits): InputFault | undefined {
  if (header.width * header.height > pixelsMaxOf(header, limits.pixelsMax)) return "image_too_large";
  if (Math.min(header.width, header.height) < limits.sideMinPx) return "image_too_small";
  return decodingBytes(header) > limits.decodingBytesMax ? "image_too_large" : undefined;
}

/** An AVIF may be turned and cropped by its properties, in any order; libheif applies them. */
async function uprightSizeOf(plain: Buffer, { header, orientation }: StoredImage): Promise<Size> {
  if (header.format === "avif")
    return (await sharp(plain, { limitInputPixels: false }).metadata()).autoOrient;
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
type UprightImage = Size & { header: ImageHeader };
