import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonLines } from "./json-lines.ts";

test("the lines are JSON, each with the path of what it shows", () => {
  const value = { a: 1, b: { c: [1, 2], d: [{ e: "x" }, null] }, f: {}, g: [] };
  const lines = jsonLines(value);
  assert.deepEqual(JSON.parse(lines.map(({ text }) => text).join("\n")), value);
  const pathOf = (text: string) => lines.find((line) => line.text.includes(text))?.path;
  assert.deepEqual(["{", '"a"', '"c"', '"e"'].map(pathOf), ["", "a", "b.c", "b.d.0.e"]);
});

test("a long list of numbers is shortened", () => {
  const [, line] = jsonLines({ embedding: Array.from({ length: 128 }, (_, index) => index) });
  assert.equal(line?.text, '  "embedding": [0, 1, 2, 3, … 128 numbers]');
});
