import { decodingBytes } from "@faceline/contracts/image/decoding-bytes";
import { decodingCost } from "@faceline/contracts/image/decoding-cost";
import { imageFormat } from "@faceline/contracts/image/format";
import { imageHeader, imageSideMinPx } from "@faceline/contracts/image/header";
import { type InputRef, inputError } from "../call/api-error.ts";

/**
 * Checks by the header of an image whether a worker may decode it. No pixel is read and no library opens it,
 * so an image that would unpack to gigabytes costs as little as any other. Returns its size, and what
 * decoding it costs, in units of `decodingCost`. Throws `invalid_image`, `image_too_large` or
 * `image_too_small`.
 */
export function checkHeader(
  image: Buffer,
  ref: InputRef,
  limits: HeaderLimits,
): { cost: number; pixels: number; longSidePx: number } {
  const header = imageHeader(image);
  if (header === undefined) throw inputError(ref, "invalid_image", damaged(image, ref));
  const { width, height } = header;
  const { IMAGE_PIXELS_MAX, IMAGE_DECODING_BYTES_MAX } = limits;
  if (width * height > IMAGE_PIXELS_MAX) {
    const detail = `The image in ${ref.label} has more than ${IMAGE_PIXELS_MAX} pixels.`;
    throw inputError(ref, "image_too_large", detail);
  }
  if (Math.min(width, height) < imageSideMinPx) {
    const detail = `The image in ${ref.label} has a side of less than ${imageSideMinPx} pixels.`;
    throw inputError(ref, "image_too_small", detail);
  }
  if (decodingBytes(header) > IMAGE_DECODING_BYTES_MAX) {
    const detail =
      `Decoding the image in ${ref.label} would take more than ${IMAGE_DECODING_BYTES_MAX} bytes of memory: ` +
      "send it smaller, or as a baseline JPEG, or as a PNG of 8 bits without interlacing.";
    throw inputError(ref, "image_too_large", detail);
  }
  const longSidePx = Math.max(width, height);
  return { cost: decodingCost(header, image.length), pixels: width * height, longSidePx };
}

function damaged(image: Buffer, ref: InputRef): string {
  if (imageFormat(image) !== "avif") return `The image in ${ref.label} is damaged.`;
  const kind = "is damaged, or an AVIF of several frames or layers";
  return `The image in ${ref.label} ${kind}: save it again, or as JPEG.`;
}

export type HeaderLimits = { IMAGE_PIXELS_MAX: number; IMAGE_DECODING_BYTES_MAX: number };
