import { decodingBytes, decodingBytesMax } from "@faceline/images/decoding-bytes";
import { decodingCost } from "@faceline/images/decoding-cost";
import { describeImage, type ImageDescription } from "@faceline/images/describe";
import { imageSideMinPx, pixelsMaxOf } from "@faceline/images/header";
import { refusedKindDetail } from "@faceline/images/refused-format";
import { type ApiError, type InputRef, inputError } from "../call/api-error.ts";
import { grouped, scaleIt } from "./base64.ts";
import { encodingFault } from "./base64-fault.ts";

/**
 * Checks by the header of an image whether a worker may decode it. No pixel is read and no library opens it,
 * so an image that would unpack to gigabytes costs as little as any other. Returns its size and the cost of
 * decoding it, in units of `decodingCost`. Throws `invalid_image`, `image_too_large` or `image_too_small`.
 */
export function checkHeader(
  image: Buffer,
  ref: InputRef,
  limits: HeaderLimits,
): { cost: number; pixels: number; longSidePx: number } {
  const description = describeImage(image);
  if (description.kind !== "image") throw damagedError(image, description, ref);
  const { header } = description;
  const { width, height } = header;
  const pixelsMax = pixelsMaxOf(header, limits.IMAGE_PIXELS_MAX);
  if (width * height > pixelsMax) {
    const detail =
      `The image in ${ref.label} has ${grouped(width)} x ${grouped(height)} pixels, and the limit is ` +
      `${grouped(pixelsMax)}: ${scaleIt}.`;
    throw inputError(ref, "image_too_large", detail);
  }
  if (Math.min(width, height) < imageSideMinPx) {
    const detail = `The image in ${ref.label} has a side of less than ${imageSideMinPx} pixels.`;
    throw inputError(ref, "image_too_small", detail);
  }
  const bytes = decodingBytes(header);
  if (bytes > decodingBytesMax) {
    const detail =
      `Decoding the image in ${ref.label} would take ${grouped(bytes)} bytes of memory, and the limit is ` +
      `${grouped(decodingBytesMax)}: ${scaleIt}, or send it as a baseline JPEG.`;
    throw inputError(ref, "image_too_large", detail);
  }
  const longSidePx = Math.max(width, height);
  return { cost: decodingCost(header, image.length), pixels: width * height, longSidePx };
}

function damagedError(image: Buffer, description: Undecodable, ref: InputRef): ApiError {
  if (description.kind === "unusual")
    return inputError(ref, "unsupported_image_format", refusedKindDetail(description.unusual, ref.label));
  const isAvif = description.kind === "damaged" && description.format === "avif";
  const avif = "is damaged, or an AVIF of several frames, layers or tiles: save it again, or as JPEG";
  const fault = encodingFault(image) ?? (isAvif ? avif : "is damaged or incomplete: send the whole file");
  return inputError(ref, "invalid_image", `The image in ${ref.label} ${fault}.`);
}

type Undecodable = Exclude<ImageDescription, { kind: "image" }>;

export type HeaderLimits = { IMAGE_PIXELS_MAX: number };
