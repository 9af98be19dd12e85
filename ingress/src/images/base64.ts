import type { Image } from "@faceline/contracts/http/image";
import { imageFormat } from "@faceline/images/format";
import { refusedFormatDetail } from "@faceline/images/refused-format";
import { type InputRef, inputError } from "../call/api-error.ts";
import { dataUrlPrefixCharactersMax } from "./base64-bytes.ts";
import { base64Fault, encodingFault } from "./base64-fault.ts";

/**
 * Returns the bytes of an image that was sent as Base64, as a data URL, or as the file of a form. Throws an
 * ApiError if it is absent, too large, not valid Base64, or of no accepted format by its first bytes.
 */
export function imageBytes(image: Image | undefined, ref: InputRef, limits: ImageBytesLimits): Buffer {
  if (image !== undefined && isNoImage(image)) {
    const names = "the name of a value or of an object, such as undefined, None or [object Blob]";
    throw missingImageError(ref, `${ref.label} holds ${names}, and no image: send the bytes of the image.`);
  }
  const bytes =
    image instanceof Uint8Array ? fileBytes(image, ref, limits) : textBytes(image ?? "", ref, limits);
  const whole = imageIn(bytes);
  if (whole !== undefined) return whole;
  const fault = encodingFault(bytes);
  if (fault !== undefined) throw inputError(ref, "invalid_image", `What is in ${ref.label} ${fault}.`);
  throw inputError(ref, "unsupported_image_format", refusedFormatDetail(bytes, ref.label));
}

/**
 * Returns an image that begins with these bytes, or after a byte order mark and white space, as PHP scripts
 * send them. Undefined: there is none in an accepted format.
 */
export function imageIn(bytes: Buffer): Buffer | undefined {
  if (imageFormat(bytes) !== undefined) return bytes;
  const [lead = ""] = /^(ï»¿|\s)*/.exec(bytes.toString("latin1", 0, leadBytesMax)) ?? [];
  return imageFormat(bytes.subarray(lead.length)) === undefined ? undefined : bytes.subarray(lead.length);
}

const leadBytesMax = 64;

/** Whether a program wrote the name of a value or an object in place of an image. */
function isNoImage(image: Image): boolean {
  if (image.length > 200) return false;
  const text = typeof image === "string" ? image : Buffer.from(image).toString("latin1");
  return /^\s*(undefined|null|none|nil|nan|true|false|\[object[ +][^\]]*\]|#?<[^<>]+>|\[B@\w+|System\.Byte\[\])\s*$/i.test(
    text,
  );
}

function fileBytes(file: Uint8Array, ref: InputRef, limits: ImageBytesLimits): Buffer {
  if (file.length === 0) throw missingImageError(ref);
  if (file.length > limits.IMAGE_BYTES_MAX) throw imageTooLargeError(ref, file.length, limits);
  return Buffer.from(file.buffer, file.byteOffset, file.byteLength);
}

/**
 * Accepts white space, the URL-safe alphabet and percent-encoding. Rejects addresses and paths: this service
 * opens no file and no connection because a client named it.
 */
function textBytes(value: string, ref: InputRef, limits: ImageBytesLimits): Buffer {
  const text = percentDecoded(value.trim());
  if (/^data:[^,]*,$/i.test(text)) {
    const detail = `There is no image in ${ref.label}, but an empty data URL: the canvas had no size, or nothing was drawn.`;
    throw missingImageError(ref, detail);
  }
  const prefix = dataUrl.exec(text.slice(0, dataUrlPrefixCharactersMax)) ?? undefined;
  let base64 = prefix === undefined ? text : text.slice(prefix[0].length);
  if (base64 === "") throw missingImageError(ref);
  if (prefix === undefined && isAddress(text)) throw unsupportedSourceError(ref);
  if (base64.length * 0.75 > limits.IMAGE_BYTES_MAX) {
    base64 = withoutSpace(base64);
    const bytes = decodedBytes(base64);
    if (bytes > limits.IMAGE_BYTES_MAX) throw imageTooLargeError(ref, bytes, limits);
  }

  const bytes = Buffer.from(base64, "base64");
  // Checked only if the bytes are not an image: in Base64, every JPEG begins with "/9j/", like a path.
  if (prefix === undefined && isPath(text) && imageFormat(bytes) === undefined)
    throw unsupportedSourceError(ref);
  // Node's decoder skips characters that are not Base64; then the result is too short. It also skips white
  // space, which is searched for only then: that takes as long as decoding.
  if (bytes.length !== decodedBytes(base64) && bytes.length !== decodedBytes(withoutSpace(base64))) {
    const fault = base64Fault(text, prefix?.[0].length ?? 0);
    throw inputError(ref, "invalid_image", `What is in ${ref.label} ${fault}.`);
  }
  return bytes;
}

/** Decodes a percent-encoded data URL (RFC 2397), or another text of a form. Base64 has no percent sign. */
function percentDecoded(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `data:image/jpeg;base64,`. The type may be missing or wrong. */
const dataUrl = /^data:[^,]*;base64,/i;

/**
 * Letters before a colon are never Base64. A data URL without `;base64,` is reported as invalid Base64
 * instead.
 */
const isAddress = (text: string): boolean => /^[a-z][a-z0-9+.-]{0,31}:/i.test(text) && !/^data:/i.test(text);

function isPath(text: string): boolean {
  if (text.length > pathCharactersMax) return false;
  return (
    /^(\/|\\|\.{1,2}[/\\]|~)/.test(text) || /^[^\n]*\.(jpe?g|png|webp|gif|bmp|tiff?|heic|avif)$/i.test(text)
  );
}

export const pathCharactersMax = 4096;

const withoutSpace = (text: string): string => text.replace(/\s+/g, "");

/**
 * The number of bytes that Base64 of this length encodes: 3 for 4 characters, without padding. NaN: not a
 * valid length.
 */
function decodedBytes(base64: string): number {
  const length = base64.endsWith("==")
    ? base64.length - 2
    : base64.endsWith("=")
      ? base64.length - 1
      : base64.length;
  return length % 4 === 1 ? Number.NaN : Math.floor((length * 3) / 4);
}

export const missingImageError = (
  ref: InputRef,
  detail = `There is no image in ${ref.label}: send it as Base64, as a data URL, or as a file of a form.`,
) => inputError(ref, "missing_image", detail);

const unsupportedSourceError = (ref: InputRef) =>
  inputError(
    ref,
    "unsupported_image_source",
    `${ref.label} must hold the image itself, as Base64, as a data URL, or as a file of a form (curl: "-F ${ref.field}=@FILE"). Addresses and paths are not opened.`,
  );

const imageTooLargeError = (ref: InputRef, bytes: number, { IMAGE_BYTES_MAX }: ImageBytesLimits) =>
  inputError(
    ref,
    "image_too_large",
    `The image in ${ref.label} has ${grouped(bytes)} bytes, and the limit is ${grouped(IMAGE_BYTES_MAX)}: ${scaleIt}.`,
  );

/** 40,000,000. */
export const grouped = (count: number): string => count.toLocaleString("en-US");

/** More gains nothing: workers shrink such images. */
export const scaleIt = "scale it to 2,560 pixels on the long side";

type ImageBytesLimits = { IMAGE_BYTES_MAX: number };
