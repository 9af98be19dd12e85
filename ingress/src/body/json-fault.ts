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
 * Returns where bytes stop being JSON and what stands there, as the end of a sentence; undefined: they are
 * JSON (RFC 8259). For errors only: V8's own messages quote the body, and many of them have no position.
 * Reads the bytes once and repeats none of them.
 */
export function jsonFault(bytes: Buffer): string | undefined {
  const fault = findFault(bytes);
  return fault && `line ${lineOf(bytes, fault.at)}, column ${columnOf(bytes, fault.at)} has ${fault.what}`;
}

/** The nesting is bounded by `JsonScan`. */
function findFault(bytes: Buffer): Fault | undefined {
  const open: number[] = [];
  let expected: Expected = "value";
  let at = 0;
  for (;;) {
    while (isSpace(bytes[at])) at++;
    const byte = bytes[at];
    if (byte === undefined) return expected === "end" ? undefined : { at, what: cutOff };
    if (mayClose.has(expected) && byte === closingOf(open.at(-1))) {
      open.pop();
      expected = open.length === 0 ? "end" : "comma";
      at++;
      continue;
    }
    switch (expected) {
      case "end":
        return { at, what: "more text after the end of the JSON" };
      case "comma":
        if (byte !== comma) return { at, what: wordFault(bytes, at) ?? "no comma or bracket before it" };
        expected = open.at(-1) === openObject ? "name" : "value";
        at++;
        if (closingAfter(bytes, at) === closingOf(open.at(-1)))
          return { at: at - 1, what: "a comma too many" };
        break;
      case "colon":
        if (byte !== colon) return { at, what: "no colon between a name and its value" };
        expected = "value";
        at++;
        break;
      case "firstName":
      case "name": {
        if (byte !== quote) return { at, what: wordFault(bytes, at) ?? "a name without double quotes" };
        const end = stringEnd(bytes, at);
        if (typeof end !== "number") return end;
        at = end;
        expected = "colon";
        break;
      }
      case "firstValue":
      case "value": {
        if (byte === openObject || byte === openList) {
          open.push(byte);
          expected = byte === openObject ? "firstName" : "firstValue";
          at++;
          break;
        }
        const end = byte === quote ? stringEnd(bytes, at) : wordEnd(bytes, at);
        if (typeof end !== "number") return end;
        at = end;
        expected = open.length === 0 ? "end" : "comma";
      }
    }
  }
}

/** Returns where the string ends whose opening quote is at `from`. */
function stringEnd(bytes: Buffer, from: number): number | Fault {
  for (let at = from + 1; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === quote) return at + 1;
    if (byte < space) {
      const what = byte === lineFeed || byte === carriageReturn ? "a line break" : "a control character";
      return { at, what: `${what} inside a string` };
    }
    if (byte !== backslash) continue;
    const escape = bytes.toString("latin1", at, at + 6);
    if (!/^\\(["\\/bfnrt]|u[\da-fA-F]{4})/.test(escape))
      return { at, what: "a single backslash inside a string" };
    at++;
  }
  return { at: bytes.length, what: cutOff };
}

/** Returns where the number, `true`, `false` or `null` at `from` ends. */
function wordEnd(bytes: Buffer, from: number): number | Fault {
  let end = from;
  while (isWordByte(bytes[end])) end++;
  if (/^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?)$/.test(bytes.toString("latin1", from, end)))
    return end;
  return { at: from, what: wordFault(bytes, from) ?? "no JSON value" };
}

/** What people write in place of JSON. Only words of these lists are repeated. */
function wordFault(bytes: Buffer, at: number): string | undefined {
  const text = bytes.toString("latin1", at, at + 10);
  const word = /^(NaN|-?Infinity|undefined|None|True|False)(?!\w)/.exec(text)?.[1];
  if (word !== undefined) return `${word}, which JSON does not have`;
  if (/^['`]/.test(text)) return "a single quote: JSON has double quotes";
  if (/^(\/[/*]|#)/.test(text)) return "a comment, which JSON does not have";
  if (/^[+-]?\.?\d/.test(text)) return "a number that JSON does not have";
  return undefined;
}

const closingOf = (bracket: number | undefined): number | undefined =>
  bracket === undefined ? undefined : bracket === openObject ? closeObject : closeList;

/** The first byte that is no white space. */
function closingAfter(bytes: Buffer, from: number): number | undefined {
  let at = from;
  while (isSpace(bytes[at])) at++;
  return bytes[at];
}

function lineOf(bytes: Buffer, at: number): number {
  let line = 1;
  for (let next = bytes.indexOf(lineFeed); next !== -1 && next < at; next = bytes.indexOf(lineFeed, next + 1))
    line++;
  return line;
}

/** Counted in characters, from 1. */
function columnOf(bytes: Buffer, at: number): number {
  const lineStart = at === 0 ? 0 : bytes.lastIndexOf(lineFeed, at - 1) + 1;
  return bytes.toString("utf8", lineStart, at).length + 1;
}

const isSpace = (byte: number | undefined): boolean =>
  byte === space || byte === lineFeed || byte === carriageReturn || byte === tab;

/** Letters, digits, signs and points. */
const isWordByte = (byte = 0): boolean =>
  (byte >= 0x30 && byte <= 0x39) ||
  (byte >= 0x41 && byte <= 0x5a) ||
  (byte >= 0x61 && byte <= 0x7a) ||
  byte === 0x2b ||
  byte === 0x2d ||
  byte === 0x2e;

const cutOff = "the end of the body inside a string, a list or an object";

const tab = 0x09;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;

const mayClose: ReadonlySet<Expected> = new Set(["firstName", "firstValue", "comma"]);

type Expected = "value" | "firstValue" | "name" | "firstName" | "colon" | "comma" | "end";
type Fault = { at: number; what: string };
