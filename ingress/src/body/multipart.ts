import { Busboy } from "@fastify/busboy";
import { imageFormat } from "@faceline/images/format";
import { ApiError } from "../call/api-error.ts";
import { type FormEntry, formFieldsMax, tooManyFieldsError } from "./form.ts";
import type { BodyLimits } from "./json-limits.ts";

/**
 * Returns the fields of a `multipart/form-data` body, texts and files, in order. The body is in memory
 * already, so nothing is streamed or written to disk, and files stay where they are in it. Throws
 * `invalid_request` if it is malformed or has too many fields.
 */
export async function multipartFields(
  bytes: Buffer,
  contentType: string,
  limits: BodyLimits,
): Promise<FormEntry[]> {
  const parts: { name: string; value: string | Buffer[]; isJson?: boolean }[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const boundary = boundaryOf(contentType);
  // The parser creates a stream for each part, even for parts that it skips, and a part may be as short as 14
  // bytes.
  if (occursMoreThan(4 * formFieldsMax(limits), `--${boundary}`, bytes)) {
    throw new ApiError("invalid_request", "The multipart body contains its boundary too often.");
  }
  const parser = new Busboy({
    headers: { "content-type": `multipart/form-data; boundary="${boundary}"` },
    limits: { parts: formFieldsMax(limits), fieldSize: bytes.length, headerPairs: 16, headerSize: 8_192 },
    isPartAFile: (_name, type, fileName) =>
      fileName !== undefined || (type !== undefined && !type.startsWith("text/")),
  });
  const rejectMalformed = () =>
    reject(new ApiError("invalid_request", "The multipart body is broken off or malformed."));

  parser.on("field", (name, value) => parts.push({ name, value }));
  parser.on("file", (name, file, _fileName, _encoding, type) => {
    const value: Buffer[] = [];
    parts.push({ name, value, isJson: /^(text\/json|application\/([\w.-]+\+)?json)\b/i.test(type) });
    file.on("data", (chunk: Buffer) => value.push(chunk));
    file.on("error", rejectMalformed);
  });
  parser.on("partsLimit", () => {
    const names = parts.map(({ name }) => name);
    reject(tooManyFieldsError(names, limits));
  });
  parser.on("error", rejectMalformed);
  parser.on("finish", resolve);
  parser.end(bytes);

  await promise;
  return parts.map(({ name, value, isJson }) => {
    if (typeof value === "string") return [name, value];
    const file = fileOf(value);
    // A browser calls a Blob of JSON "blob", as it does an image.
    return [name, isJson && imageFormat(file) === undefined ? file.toString("utf8") : file];
  });
}

/** Returns the bytes of a file, without a copy if its pieces are adjacent. */
function fileOf(pieces: Buffer[]): Buffer {
  const [first] = pieces;
  let end = first?.byteOffset;
  for (const piece of pieces) {
    if (piece.buffer !== first!.buffer || piece.byteOffset !== end) return Buffer.concat(pieces);
    end += piece.length;
  }
  return first === undefined
    ? Buffer.alloc(0)
    : Buffer.from(first.buffer, first.byteOffset, end! - first.byteOffset);
}

function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain ?? "";
  if (/^[0-9A-Za-z'()+_,\-./:=? ]{1,70}$/.test(boundary)) return boundary;
  throw new ApiError(
    "invalid_request",
    "The multipart content type has no boundary of 1 to 70 characters: let the HTTP client set the header.",
  );
}

/** Whether `text` occurs more than `max` times. */
function occursMoreThan(max: number, text: string, bytes: Buffer): boolean {
  let count = 0;
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + text.length)) {
    if (++count > max) return true;
  }
  return false;
}
