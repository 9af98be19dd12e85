import type { Image } from "@faceline/contracts/http/image";
import { imageFormat } from "@faceline/contracts/image/format";
import { type Place, refusalAt } from "../refusal.ts";

/** The bytes of an image that came as Base64, as a data URL, or as the file of a form. */
export function imageBytes(given: Image | undefined, place: Place, limits: SourceLimits): Buffer {
  const bytes =
    given instanceof Uint8Array ? fileBytes(given, place, limits) : textBytes(given ?? "", place, limits);
  if (imageFormat(bytes) !== undefined) return bytes;
  const detail = `The image in ${place.called} is not JPEG, PNG or WebP.`;
  throw refusalAt(place, "unsupported_image_format", detail);
}

function fileBytes(file: Uint8Array, place: Place, limits: SourceLimits): Buffer {
  if (file.length === 0) throw noImage(place);
  if (file.length > limits.IMAGE_BYTES_MAX) throw tooLarge(place, limits);
  return Buffer.from(file.buffer, file.byteOffset, file.byteLength);
}

/**
 * White space and the URL alphabet are tolerated. Anything that would have to be fetched is refused: this service opens
 * no file and no connection on a caller's word.
 */
function textBytes(given: string, place: Place, limits: SourceLimits): Buffer {
  const text = given.trim();
  const payload = dataUrl.exec(text.slice(0, prologueCharactersMax)) ?? undefined;
  const base64 = withoutSpace(payload === undefined ? text : text.slice(payload[0].length));
  if (base64 === "") throw noImage(place);
  if (payload === undefined && isAddress(text)) throw elsewhere(place);
  if (decodedBytes(base64) > limits.IMAGE_BYTES_MAX) throw tooLarge(place, limits);

  const bytes = Buffer.from(base64, "base64");
  // Only what is no image may be a path: every JPEG begins with "/9j/" in Base64.
  if (payload === undefined && imageFormat(bytes) === undefined && isPath(text)) throw elsewhere(place);
  // Node's decoder skips what is not Base64; the length tells that it did.
  if (bytes.length !== decodedBytes(base64)) {
    throw refusalAt(place, "invalid_image", `What is in ${place.called} is not valid Base64.`);
  }
  return bytes;
}

/** `data:image/jpeg;base64,`; the type may be missing or wrong. */
const dataUrl = /^data:[^,]*;base64,/i;
const prologueCharactersMax = 256;

/** Letters, then a colon: no Base64. `data:` is one too, unless it said `;base64,`. */
const isAddress = (text: string): boolean => /^[a-z][a-z0-9+.-]{0,31}:/i.test(text) && !/^data:/i.test(text);

function isPath(text: string): boolean {
  if (text.length > pathCharactersMax) return false;
  return (
    /^(\/|\\|\.{1,2}[/\\]|~)/.test(text) || /^[^\n]*\.(jpe?g|png|webp|gif|bmp|tiff?|heic|avif)$/i.test(text)
  );
}

const pathCharactersMax = 4096;

const withoutSpace = (text: string): string => (/\s/.test(text) ? text.replace(/\s+/g, "") : text);

/** How many bytes Base64 of this length holds: three for four characters, padding aside. NaN: no length of Base64. */
function decodedBytes(base64: string): number {
  const length = base64.endsWith("==")
    ? base64.length - 2
    : base64.endsWith("=")
      ? base64.length - 1
      : base64.length;
  return length % 4 === 1 ? Number.NaN : Math.floor((length * 3) / 4);
}

export const noImage = (place: Place) =>
  refusalAt(
    place,
    "missing_image",
    `There is no image in ${place.called}: send it as Base64, as a data URL, or as a file of a form.`,
  );

const elsewhere = (place: Place) =>
  refusalAt(
    place,
    "unsupported_image_source",
    `${place.called} must hold the image itself, as Base64 or as a data URL: addresses and paths are not opened.`,
  );

const tooLarge = (place: Place, { IMAGE_BYTES_MAX }: SourceLimits) =>
  refusalAt(place, "image_too_large", `The image in ${place.called} has more than ${IMAGE_BYTES_MAX} bytes.`);

export type SourceLimits = { IMAGE_BYTES_MAX: number };
