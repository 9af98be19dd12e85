import { randomUUID } from "node:crypto";
import { formLists } from "@faceline/contracts/http/form-fields";
import { isReferences } from "@faceline/contracts/http/references";
import { decodeBase64, decodedBytesMax } from "../images/base64-bytes.ts";
import type { Slab, SlabPool } from "../memory/slab-pool.ts";
import type { StringRange } from "./json-limits.ts";

/**
 * Parses JSON whose long strings are images, without making strings of them: `parse` sees the JSON with a
 * short placeholder for each, and the images are decoded from the bytes of the body into one slab. An image
 * that is not plain Base64 becomes the text that it is. Returns undefined if there is no long string, or one
 * that is not in the place of an image: such a body must be parsed as it is. Throws what `parse` throws if
 * the JSON is not valid.
 *
 * Placeholders are chosen after the whole body has come, so no client can know them, and each must be found
 * once: one that a later field of the same name has replaced leaves its string unread, and the body is parsed
 * as it is.
 */
export function parseWithImages(
  bytes: Buffer,
  strings: StringRange[],
  { pool, parse }: { pool: SlabPool; parse: (json: string) => unknown },
): JsonWithImages | undefined {
  if (strings.length === 0) return undefined;
  const { skeleton, ranges } = skeletonOf(bytes, strings);
  const body = parse(skeleton);
  const places = imagePlaces(body).filter(({ holder, key }) => ranges.has(holder[key]));
  if (places.length !== strings.length) return undefined;

  const slab = pool.take(strings.reduce((sum, range) => sum + decodedBytesMax(range), 0));
  try {
    for (const { holder, key } of places) {
      const range = ranges.get(holder[key])!;
      const at = slab.writtenBytes;
      const end = decodeBase64(bytes, range, slab);
      holder[key] = end === undefined ? parse(textOf(bytes, range)) : slab.bytes.subarray(at, end);
    }
  } catch (error) {
    slab.release();
    throw error;
  }
  return { body, slab };
}

/** Returns the JSON with a placeholder in place of each string, and the ranges by placeholder. */
function skeletonOf(bytes: Buffer, strings: StringRange[]) {
  const secret = randomUUID();
  const ranges = new Map<unknown, StringRange>();
  let skeleton = "";
  let at = 0;
  for (const range of strings) {
    const placeholder = `${secret}${ranges.size}`;
    ranges.set(placeholder, range);
    skeleton += bytes.toString("utf8", at, range.from) + placeholder;
    at = range.to;
  }
  return { skeleton: skeleton + bytes.toString("utf8", at), ranges };
}

/** Returns the values of a body that may be images. */
function imagePlaces(body: unknown): Place[] {
  if (!isObject(body)) return [];
  const names = Object.keys(body);
  const images = names
    .filter((name) => imageField.test(name))
    .flatMap((key) => (isReferences(body[key]) ? candidatePlaces(body[key]) : [{ holder: body, key }]));
  const list = names.find((name) => formLists.has(name));
  return list === undefined ? images : [...images, ...candidatePlaces(body[list])];
}

function candidatePlaces(candidates: unknown): Place[] {
  if (!Array.isArray(candidates)) return [];
  const holder = candidates as unknown as Holder;
  return candidates.flatMap((candidate: unknown, index) => {
    if (!isObject(candidate)) return [{ holder, key: String(index) }];
    return candidateFields.map((key) => ({ holder: candidate, key }));
  });
}

/** The fields of all calls that may be images, and their aliases. */
const imageField = /^img[12]?(_path)?$/;

/** Fields of a candidate that may be its image: see `readCandidates`. Strings in its `vector` are numbers. */
const candidateFields = ["img", "value"];

/** The string as JSON, with its quotes. */
const textOf = (bytes: Buffer, { from, to }: StringRange): string => bytes.toString("utf8", from - 1, to + 1);

const isObject = (value: unknown): value is Holder =>
  typeof value === "object" && value !== null && !Array.isArray(value);

type JsonWithImages = {
  body: unknown;
  /** The memory of the images in the body, which the receiver must release. */
  slab: Slab;
};

type Holder = Record<string, unknown>;
type Place = { holder: Holder; key: string };
