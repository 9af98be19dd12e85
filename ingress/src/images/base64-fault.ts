import { isNumbersText, vectorShapeFault } from "@faceline/contracts/http/vector";
import { imageFormat } from "@faceline/images/format";
import { type ApiError, inputError, inputRef } from "../call/api-error.ts";

/**
 * Returns why a string is not Base64, as the end of a sentence: the position (from 1) and the character of
 * the first fault, and no more of it. `from`: where its Base64 begins, after the prefix of a data URL.
 */
export function base64Fault(text: string, from: number): string {
  if (isNumbersText(text)) return vectorShapeFault(text, 0);
  if (/^data:/i.test(text) && from === 0) return 'is a data URL without ";base64,"';
  // The first bytes of a JPEG, PNG or WebP that were read as UTF-8 or Latin-1.
  if (/^(\ufffd|ÿØÿ|.PNG\r|RIFF)/.test(text)) return `is the bytes of a file as text: ${sendFile}`;
  const at = text.slice(from).search(notBase64) + from;
  if (at < from) return "is not valid Base64: by its length, a character is missing";
  const fault = `is not valid Base64: character ${at + 1} is ${characterName(text, at)}`;
  if (/^b['"]/.test(text)) return `${fault}, as Python writes bytes: send base64.b64encode(data).decode()`;
  return at === 0 && /["'`]/.test(text[0]!) ? `${fault}: send the text without quotes` : fault;
}

/**
 * Returns whether a value of JSON is the bytes of an image as numbers: a list, or what `JSON.stringify` makes
 * of a Buffer or a Uint8Array.
 */
export function isImageInNumbers(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { data } = value as { data?: unknown };
  const list = Array.isArray(data) ? data : value;
  const bytes = Array.from({ length: 12 }, (_, index) => (list as Record<number, unknown>)[index]);
  return bytes.every((byte) => typeof byte === "number") && imageFormat(Buffer.from(bytes)) !== undefined;
}

export const jsonImageError = (field: string, fault = "is an image as numbers"): ApiError =>
  inputError(inputRef(field), "invalid_image", `${field} ${fault}: ${sendFile}.`);

/**
 * Returns what else happened to an image, as the end of a sentence: it was handled as text, encoded twice, or
 * encoded as hexadecimal. Undefined: none of these.
 */
export function encodingFault(bytes: Buffer): string | undefined {
  const first = bytes.toString("latin1", 0, startBytes);
  if (readAsText.test(first))
    return "was read or sent as text, which changes its bytes: send the bytes themselves";
  if (/^\x89PNG[\r\n]/.test(first) && imageFormat(bytes) === undefined)
    return "is a PNG whose line ends were converted, as FTP and Git do to texts: transfer it as binary";
  const start = first.trimStart().replace(/^(b?['"])?(data:[^,]*,)?/, "");
  if (imageFormat(Buffer.from(start, "base64")) !== undefined)
    return "holds Base64 of an image in place of its bytes: encode it once";
  const isHex = isImageInHex(start) || isImageInHex(bytes.toString("base64", 0, startBytes));
  return isHex ? "is hexadecimal: send Base64" : undefined;
}

/**
 * The first bytes of images after UTF-8 (U+FFFD for each high byte, or two bytes for one) or ASCII. Those of
 * WebP and AVIF are partly letters.
 */
const readAsText =
  /^(ï»¿)?((ï¿½){3}|(ï¿½|Â\x89|â\x80°|\?|\t)PNG|Ã¿Ã\x98Ã¿|\?{3}.?\0|(RIFF|\0\0\0.ftyp)[^]*ï¿½)/;

/** A string of hexadecimal digits is valid Base64 too. */
const isImageInHex = (text: string): boolean =>
  /^(0x)?[\da-f]{64}/i.test(text) && imageFormat(Buffer.from(text.replace(/^0x/, ""), "hex")) !== undefined;

function characterName(text: string, at: number): string {
  const code = text.codePointAt(at)!;
  if (code === 0x22) return "a double quote";
  if (code === 0x27) return "a single quote";
  if (code > 0x20 && code < 0x7f) return `"${text[at]}"`;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

const sendFile = "send Base64, or a file of a form";

/** Padding may occur only at the end. */
const notBase64 = /[^\w+/\s=-]|=(?=\s*[^=\s])/;

const startBytes = 192;
