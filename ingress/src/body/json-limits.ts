import { pathCharactersMax } from "../images/base64.ts";
import {
  backslash,
  closeList,
  closeObject,
  colon,
  comma,
  openList,
  openObject,
  quote,
} from "./json-bytes.ts";

/**
 * Counts what the bytes of a body hold before they are parsed: `JSON.parse` turns 32 MiB of brackets or zeros
 * into many times their size, and the schemas could refuse it only afterwards. One pass without tokens;
 * strings are skipped, and long ones found. Bytes that are not JSON pass: the parser reports them. One scan
 * counts all JSON of one body, even if a form holds several.
 */
export class JsonScan {
  readonly #limits: JsonLimits;
  #mayHavePrototypeKey = false;
  #longStrings: StringRange[] = [];
  #lists = 0;
  #strings = 0;
  #values = 0;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /**
   * Whether a string may be a key that reaches a prototype, escaped or not: then the parser has to search for
   * it.
   */
  get mayHavePrototypeKey(): boolean {
    return this.#mayHavePrototypeKey;
  }

  /** Strings of the JSON that was scanned last, in order, with at least `longStringBytesMin` bytes. */
  get longStrings(): StringRange[] {
    return this.#longStrings;
  }

  /** Returns the first limit that the bytes exceed; undefined: they may be parsed. */
  exceeded(bytes: Buffer): ExceededLimit | undefined {
    this.#longStrings = [];
    const { depthMax, itemsMax, listsMax, stringsMax, valuesMax } = this.#limits;
    // Items of each open list or object besides numbers, by depth. The depth of the body's own object is 1.
    const items = new Int32Array(depthMax + 2);
    let depth = 0;
    let key = { from: 0, to: 0 };
    let string = key;

    for (let at = 0, end = bytes.length; at < end; at++) {
      const byte = bytes[at]!;
      // Digits, points and signs are most of the bytes of vectors.
      if (byte > comma && byte < colon) continue;
      switch (byte) {
        case quote: {
          const from = at;
          at = stringEnd(bytes, from);
          if (depth === 1) string = { from: from + 1, to: at };
          if (at - from <= prototypeKeyCharactersMax && mayBePrototypeKey(bytes, from + 1, at))
            this.#mayHavePrototypeKey = true;
          if (at - from > longStringBytesMin && at < end) this.#longStrings.push({ from: from + 1, to: at });
          if (++this.#strings > stringsMax) return { kind: "strings" };
          if (++items[depth]! > itemsMax && depth > 1) return itemsExceeded(bytes, depth, key);
          break;
        }
        case openList:
        case openObject:
          if (++this.#lists > listsMax) return { kind: "lists" };
          if (++items[depth]! > itemsMax && depth > 1) return itemsExceeded(bytes, depth, key);
          if (++depth > depthMax) return { kind: "depth" };
          items[depth] = 0;
          break;
        case closeList:
        case closeObject:
          if (depth > 0) depth--;
          break;
        case comma:
          if (++this.#values > valuesMax) return { kind: "values" };
          break;
        case colon:
          if (depth === 1) key = string;
          break;
        default:
      }
    }
    return undefined;
  }
}

/** The limits that the largest call of these settings needs, with room for fields that are ignored. */
export function jsonLimits(limits: BodyLimits): JsonLimits {
  const itemsMax = limits.CANDIDATE_VECTORS_MAX + limits.CANDIDATE_IMAGES_MAX;
  return {
    depthMax: 16,
    itemsMax,
    listsMax: 4 * itemsMax + 1_000,
    stringsMax: 8 * itemsMax + 1_000,
    valuesMax: (itemsMax + 2) * limits.vectorLengthMax + 10_000,
  };
}

/**
 * Returns the position of the closing quote of the string whose opening quote is at `from`, or the end of the
 * body.
 */
function stringEnd(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(quote, from + 1);
  if (end === -1) return bytes.length;
  if (bytes[end - 1] !== backslash) return end;
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}

/** The length of `constructor` with every letter escaped (`\u0063…`), and a quote. */
const prototypeKeyCharactersMax = 6 * 11 + 1;

function mayBePrototypeKey(bytes: Buffer, from: number, to: number): boolean {
  const length = to - from;
  if (length === 9) return bytes.toString("latin1", from, to) === "__proto__";
  if (length === 11) return bytes.toString("latin1", from, to) === "constructor";
  return length > 11 && bytes.subarray(from, to).includes(backslash);
}

function itemsExceeded(
  bytes: Buffer,
  depth: number,
  { from, to }: { from: number; to: number },
): ExceededLimit {
  if (depth > 2) return { kind: "items" };
  return { kind: "items", field: bytes.toString("latin1", from, Math.min(to, from + nameCharactersMax)) };
}

const nameCharactersMax = 64;

/** Longer than any path: see `imageBytes`. Shorter strings cost little either way. */
const longStringBytesMin = pathCharactersMax + 1;

/** The bytes of a string in a body, without its quotes. */
export type StringRange = { from: number; to: number };

export type JsonLimits = {
  depthMax: number;
  /** Strings, lists and objects in one list or object other than the body itself. */
  itemsMax: number;
  /** Lists and objects in all. */
  listsMax: number;
  /** Strings in all, keys included. */
  stringsMax: number;
  /** Commas in all: values, roughly. */
  valuesMax: number;
};

export type ExceededLimit =
  | { kind: "depth" | "lists" | "strings" | "values" }
  /** `field`: the field of the body that holds them, as it was sent. */
  | { kind: "items"; field?: string };

/** Sources of the limits of a body: settings, and the loaded models. */
export type BodyLimits = {
  CANDIDATE_VECTORS_MAX: number;
  CANDIDATE_IMAGES_MAX: number;
  /** Numbers of the longest vector that a loaded model has. */
  vectorLengthMax: number;
};
