import type { CandidateLimits } from "../routes/candidates.ts";

/**
 * Looks through the bytes of a body before they are parsed: `JSON.parse` makes of 32 MiB of brackets or zeros many
 * times their size, and only then could the schemas refuse it. One pass, no tokens; texts are jumped over. Bodies that
 * are no JSON pass: the parser tells them. One scan counts the JSON of one body, also where a form holds several.
 */
export class JsonScan {
  readonly #bounds: JsonBounds;
  #mayNamePrototype = false;
  #lists = 0;
  #texts = 0;
  #values = 0;

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds;
  }

  /** Whether a text may be a key that reaches a prototype, however it was written: then the parser has to look for it. */
  get mayNamePrototype(): boolean {
    return this.#mayNamePrototype;
  }

  /** What there is too much of; undefined: the body may be parsed. */
  excessOf(bytes: Buffer): Excess | undefined {
    const { depthMax, itemsMax, listsMax, textsMax, valuesMax } = this.#bounds;
    // What each open list or object holds besides numbers, by depth. The body's own is 1.
    const items = new Int32Array(depthMax + 2);
    let depth = 0;
    let key = { from: 0, to: 0 };
    let text = key;

    for (let at = 0, end = bytes.length; at < end; at++) {
      const byte = bytes[at]!;
      // Digits, points and signs: most of a body of vectors.
      if (byte > comma && byte < colon) continue;
      switch (byte) {
        case quote: {
          const from = at;
          at = endOfText(bytes, from);
          if (depth === 1) text = { from: from + 1, to: at };
          if (at - from <= escapedCharactersMax && maybePrototype(bytes, from + 1, at))
            this.#mayNamePrototype = true;
          if (++this.#texts > textsMax) return { kind: "texts" };
          if (++items[depth]! > itemsMax && depth > 1) return tooManyItems(bytes, depth, key);
          break;
        }
        case openList:
        case openObject:
          if (++this.#lists > listsMax) return { kind: "lists" };
          if (++items[depth]! > itemsMax && depth > 1) return tooManyItems(bytes, depth, key);
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
          if (depth === 1) key = text;
          break;
        default:
      }
    }
    return undefined;
  }
}

/** So much as the largest call that the settings allow, with room for fields that are ignored. */
export function jsonBounds(limits: CandidateLimits & { VECTOR_LENGTH_MAX: number }): JsonBounds {
  const itemsMax = limits.CANDIDATE_VECTORS_MAX + limits.CANDIDATE_IMAGES_MAX;
  return {
    depthMax: 16,
    itemsMax,
    listsMax: 4 * itemsMax + 1_000,
    textsMax: 8 * itemsMax + 1_000,
    valuesMax: (itemsMax + 2) * limits.VECTOR_LENGTH_MAX + 10_000,
  };
}

/** Where the text that begins at this quote ends: at its closing quote, or with the body. */
function endOfText(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(quote, from + 1);
  if (end === -1) return bytes.length;
  if (bytes[end - 1] !== backslash) return end;
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}

/** `constructor` with every letter escaped, and its quotes. */
const escapedCharactersMax = 6 * 11 + 1;

function maybePrototype(bytes: Buffer, from: number, to: number): boolean {
  const length = to - from;
  if (length === 9) return bytes.toString("latin1", from, to) === "__proto__";
  if (length === 11) return bytes.toString("latin1", from, to) === "constructor";
  return length > 11 && bytes.subarray(from, to).includes(backslash);
}

function tooManyItems(bytes: Buffer, depth: number, { from, to }: { from: number; to: number }): Excess {
  if (depth > 2) return { kind: "items" };
  return { kind: "items", field: bytes.toString("latin1", from, Math.min(to, from + nameCharactersMax)) };
}

const nameCharactersMax = 64;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

export type JsonBounds = {
  depthMax: number;
  /** Texts, lists and objects in one list or object, the body aside. */
  itemsMax: number;
  /** Lists and objects together. */
  listsMax: number;
  /** Texts, the keys among them. */
  textsMax: number;
  valuesMax: number;
};

export type Excess =
  | { kind: "depth" | "lists" | "texts" | "values" }
  /** `field`: the body's own that holds them, as it was sent. */
  | { kind: "items"; field?: string };
