import { Busboy, type BusboyInstance } from "@fastify/busboy";
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
  limits: MultipartLimits,
): Promise<FormEntry[]> {
  const parts: { name: string; value: string | Buffer[] }[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const parser = parserOf(contentType, limits, bytes.length);
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

function parserOf(contentType: string, limits: MultipartLimits, bodyBytes: number): BusboyInstance {
  try {
    return new Busboy({
      headers: { "content-type": contentType },
      limits: {
        parts: formFieldsMax(limits),
        // A byte more than an image may have: what was cut off there is refused as too large.
        fileSize: limits.IMAGE_BYTES_MAX + 1,
        fieldSize: bodyBytes,
        headerPairs: 16,
        headerSize: 8_192,
      },
      isPartAFile: (_name, type, fileName) =>
        fileName !== undefined || (type !== undefined && !/^(text\/|application\/json)/.test(type)),
    });
  } catch {
    throw new Refusal("invalid_request", "The multipart content type names no boundary.");
  }
}

export type MultipartLimits = JsonLimits & { IMAGE_BYTES_MAX: number };
