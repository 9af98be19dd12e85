import * as z from "zod";

/** Longest vector, in numbers. No model has a longer embedding. */
export const vectorLengthMax = 4096;

const description =
  "An embedding returned by /represent. It must have as many numbers as the model's own embeddings.";
const list = {
  type: "array",
  items: { type: "number" },
  minItems: 1,
  maxItems: vectorLengthMax,
} as const;
const base64 = {
  type: "string",
  contentEncoding: "base64",
  description: "The numbers as little-endian float32, encoded as Base64.",
} as const;

/**
 * A list of finite numbers. Not `z.array`, which allocates a result for every number: a request may have a
 * million of them.
 */
export const Vector = z
  .custom<number[]>(isVector, `must be a list of 1 to ${vectorLengthMax} finite numbers`)
  .meta({ ...list, description });

/** The rule that a value breaks if `readVector` does not read it, as the end of a sentence. */
const vectorRule = (lengthMax: number): string =>
  `must be 1 to ${lengthMax} finite numbers: a list, or float32 as Base64`;

/**
 * Returns why a value is not a vector, as the end of a sentence, or the general rule. These are numbers that
 * went through text or another library, which `readVector` could not read.
 */
export function vectorShapeFault(value: unknown, lengthMax: number): string {
  const isText = typeof value === "string" && isNumbersText(value);
  if (isText && /\.\.\.|\u2026/.test(value))
    return 'was cut short where it was printed ("..."): send all numbers';
  if (isText ? /^[^\d]*\[\s*[[{]/.test(value) : Array.isArray(value) && value.some(Array.isArray))
    return "is a list in a list: send the inner one";
  if (isText) return "is a list of numbers as text: parse it first, and send the list";
  if (typeof value === "object" && value !== null && !(Array.isArray(value) || value instanceof Uint8Array))
    return "is an object: send its numbers as a list";
  return vectorRule(lengthMax);
}

/** Whether a string begins like printed numbers: a list, a PostgreSQL array, or a constructor call. */
export const isNumbersText = (text: string): boolean =>
  /^\s*(\w[\w.]*\()?[[{(][\s[{(]*([-+\d.\u2026]|nan|inf|"?\d)/i.test(text.slice(0, 256));

/**
 * A vector in a field of its own, where a string is not taken for an image: a list, or Base64 as /represent
 * returns it, which JSON reads many times faster. A form may send the float32 numbers as a file.
 */
export const NamedVector = z
  .custom<number[] | string>((value) => readVector(value) !== undefined, vectorRule(vectorLengthMax))
  .transform((value) => readVector(value)!)
  .meta({ anyOf: [list, base64], description });

export type VectorNumbers = number[] | Float32Array;

/** Returns whether `value` is a valid vector. A number of JSON may be infinite after parsing: 1e400 is. */
function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && isLength(value.length) && value.every(Number.isFinite);
}

/**
 * Returns the numbers of a list, of a list as text, or of float32 (little-endian) as Base64 or bytes;
 * undefined if `value` is no valid vector. The Base64 may be URL-safe and without padding, and has no white
 * space.
 */
export function readVector(value: unknown): VectorNumbers | undefined {
  const list = typeof value === "string" ? numbersOfText(value) : value;
  if (isVector(list)) return list;
  const bytes = typeof value === "string" ? decodeBase64(value) : value;
  if (!(bytes instanceof Uint8Array) || bytes.length % float32Bytes !== 0) return undefined;
  if (!isLength(bytes.length / float32Bytes)) return undefined;
  // A file of a form is copied: its memory is used again before the vector is compared.
  const numbers = float32From(bytes === value ? new Uint8Array(bytes) : bytes);
  return isFinite(numbers) ? numbers : undefined;
}

/**
 * Returns the numbers of a string as databases and languages write a list: `[0.1, -2]` of JSON and pgvector,
 * `{0.1,-2}` of PostgreSQL, `[ 0.1 -2. ]` of NumPy. Undefined: it is another string, or a long one.
 */
export function numbersOfText(text: string): number[] | undefined {
  const [, list, array] = text.length > textCharactersMax ? [] : (bracketed.exec(text) ?? []);
  const inner = list ?? array;
  if (inner === undefined) return undefined;
  const numbers = inner.trim().split(/\s*,\s*|\s+/);
  return numbers.every((number) => /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(number))
    ? numbers.map(Number)
    : undefined;
}

const bracketed = /^\s*(?:\[([^[\]{}]+)\]|\{([^[\]{}]+)\})\s*$/;
const textCharactersMax = 16_384;

const isLength = (length: number): boolean => length > 0 && length <= vectorLengthMax;

function decodeBase64(text: string): Uint8Array | undefined {
  const characters = text.length - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);
  const byteCount = Math.floor((characters * 3) / 4);
  if (byteCount > vectorLengthMax * float32Bytes) return undefined;
  const bytes = Buffer.from(text, "base64");
  // The decoder skips characters that are not Base64: then the result is too short.
  return bytes.length === byteCount ? bytes : undefined;
}

/** Copies the bytes only if their offset is not a multiple of 4, which Float32Array needs. */
function float32From(bytes: Uint8Array): Float32Array {
  const { buffer, byteOffset, byteLength } =
    bytes.byteOffset % float32Bytes === 0 ? bytes : new Uint8Array(bytes);
  return new Float32Array(buffer, byteOffset, byteLength / float32Bytes);
}

/** A loop, because calling `Number.isFinite` for each number takes as long as the distance. */
function isFinite(numbers: Float32Array): boolean {
  for (let i = 0; i < numbers.length; i++) {
    // NaN for infinities and for NaN.
    if (Number.isNaN(numbers[i]! - numbers[i]!)) return false;
  }
  return true;
}

const float32Bytes = Float32Array.BYTES_PER_ELEMENT;
