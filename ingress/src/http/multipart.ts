import { Busboy } from "@fastify/busboy";
import { Refusal } from "../refusal.ts";
import { type FormEntry, formFieldsMax, tooManyFields } from "./form.ts";
import type { JsonLimits } from "./json.ts";

/**
 * The fields of `multipart/form-data`, texts and files, in their order. The body is in memory already, within its own
 * limit: nothing is written anywhere.
 */
export async function multipartFields(
  bytes: Buffer,
  contentType: string,
  limits: JsonLimits,
): Promise<FormEntry[]> {
  const parts: { name: string; value: string | Buffer[] }[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const boundary = boundaryOf(contentType);
  // The parser sets up a stream for each part, also where it skips them, and a part may be 14 bytes.
  if (isMoreThan(4 * formFieldsMax(limits), `--${boundary}`, bytes)) {
    throw new Refusal("invalid_request", "The multipart body holds its boundary too often.");
  }
  const parser = new Busboy({
    headers: { "content-type": `multipart/form-data; boundary="${boundary}"` },
    limits: { parts: formFieldsMax(limits), fieldSize: bytes.length, headerPairs: 16, headerSize: 8_192 },
    isPartAFile: (_name, type, fileName) =>
      fileName !== undefined || (type !== undefined && !/^(text\/|application\/json)/.test(type)),
  });
  const broken = () =>
    reject(new Refusal("invalid_request", "The multipart body is broken off or malformed."));

  parser.on("field", (name, value) => parts.push({ name, value }));
  parser.on("file", (name, file) => {
    const value: Buffer[] = [];
    parts.push({ name, value });
    file.on("data", (chunk: Buffer) => value.push(chunk));
    file.on("error", broken);
  });
  parser.on("partsLimit", () => {
    const names = parts.map(({ name }) => name);
    reject(tooManyFields(names, limits));
  });
  parser.on("error", broken);
  parser.on("finish", resolve);
  parser.end(bytes);

  await promise;
  return parts.map(({ name, value }) => [name, typeof value === "string" ? value : Buffer.concat(value)]);
}

function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain ?? "";
  if (/^[0-9A-Za-z'()+_,\-./:=? ]{1,70}$/.test(boundary)) return boundary;
  throw new Refusal("invalid_request", "The multipart content type names no boundary of 1 to 70 characters.");
}

/** Whether the text stands in the body more often than that. */
function isMoreThan(max: number, text: string, bytes: Buffer): boolean {
  let count = 0;
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + text.length)) {
    if (++count > max) return true;
  }
  return false;
}
