import { heifBrands } from "@faceline/images/format";
import { imageIn } from "../images/base64.ts";

/**
 * Returns what a body is by its first bytes, whatever its content type says: "curl -d" calls JSON a form, and
 * a header that was set by hand contradicts the form that an HTTP client sends. Undefined: none of these.
 */
export function bodyKind(bytes: Buffer): BodyKind | undefined {
  // HEIC is refused later, by its name.
  if (imageIn(bytes) !== undefined || heifBrands(bytes).length > 0) return "image";
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return "gzip";
  const start = withoutByteOrderMark(bytes).toString("latin1", 0, startBytes);
  return patterns.find(([, pattern]) => pattern.test(start))?.[0];
}

/** RFC 8259 8.1 lets parsers ignore the mark, which PowerShell, .NET and some editors write. */
export function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/** What is wrong with a body that should be JSON, as the end of a sentence. */
export const notJson: Partial<Record<BodyKind, string>> = {
  base64: 'is Base64 alone: send it in a field, as in {"img": "..."}',
  form: "is a form: send it as application/x-www-form-urlencoded",
  gzip: "is compressed with gzip: send it as it is",
  javascript: "is [object Object]: send JSON.stringify of the object",
  multipart: "is multipart/form-data: let the HTTP client set the content type, with its boundary",
  utf16: "is UTF-16: send it as UTF-8",
};

const patterns: readonly (readonly [BodyKind, RegExp])[] = [
  ["utf16", /^(ÿþ|þÿ|[[{]\0|\0[[{])/],
  ["javascript", /^\[object \w+\]$/],
  ["json", /^\s*[[{]/],
  ["multipart", /^(\r\n)?--[^\r\n]{1,70}\r\ncontent-disposition:/i],
  ["base64", /^\s*(data:image\/|\/9j\/|iVBORw0KGgo|UklGR)/],
  ["form", /^[A-Za-z][\w.[\]-]{0,31}=/],
];

const startBytes = 256;

type BodyKind = "image" | "json" | "gzip" | "utf16" | "javascript" | "multipart" | "base64" | "form";
