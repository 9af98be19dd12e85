import assert from "node:assert/strict";
import { test } from "node:test";
import { type JsonBounds, JsonScan, jsonBounds } from "./json-scan.ts";

const bounds: JsonBounds = { depthMax: 3, itemsMax: 3, listsMax: 8, textsMax: 12, valuesMax: 10 };
const excessOf = (json: string, given = bounds) => new JsonScan(given).excessOf(Buffer.from(json));

test("a body within every bound may be parsed", () => {
  for (const json of ["", "5", '"text"', "{}", '{"a": [1, 2, 3], "b": {"c": ["d"]}}', "[[[]]]", "]]]]}}"]) {
    assert.equal(excessOf(json), undefined, json);
  }
});

test("each bound is the last that passes", () => {
  const cases: [string, string, string][] = [
    ["depth", "[[[]]]", "[[[[]]]]"],
    ["values", `{"a": [0${",0".repeat(10)}]}`, `{"a": [0${",0".repeat(11)}]}`],
    ["lists", "[[],[],[[],[],[]],9]", "[[[],[],[]],[[],[],[]]]"],
    ["texts", `{${'"a":"",'.repeat(5)}"a":""}`, `{${'"a":"",'.repeat(6)}"a":""}`],
  ];
  for (const [kind, within, beyond] of cases) {
    assert.equal(excessOf(within), undefined, within);
    assert.equal(excessOf(beyond)?.kind, kind, beyond);
  }
});

test("too many items are told with the body's own field that holds them", () => {
  const lists = { a: [], candidates: [[1], "x", {}, [2]] };
  assert.deepEqual(excessOf(JSON.stringify(lists)), { kind: "items", field: "candidates" });
  assert.deepEqual(excessOf('{"a":[["b","c","d","e"]]}'), { kind: "items" });
  assert.equal(excessOf('{"a":[1,2,3,4,5,6]}'), undefined, "numbers are no items");
});

test("what stands in a text counts for nothing, however its quotes are escaped", () => {
  const texts = ["[[[[[[", ',",,,,,,,,,,,,,,', '\\"[[[[[', "\\\\", '\\\\"[[[[', "é\u2028[[[["];
  for (const text of texts) assert.equal(excessOf(JSON.stringify({ a: text, b: [text] })), undefined, text);
  assert.equal(excessOf('{"a": "\\\\\\\\", "b": [[[1]]]}')?.kind, "depth");
  assert.equal(excessOf('{"never closed [[[[[[['), undefined);
});

test("one scan counts all JSON of one body", () => {
  const scan = new JsonScan(bounds);
  const six = Buffer.from(`[0${",0".repeat(6)}]`);
  assert.equal(scan.excessOf(six), undefined);
  assert.equal(scan.excessOf(six)?.kind, "values");
});

test("the largest call that the settings allow passes", () => {
  const limits = { CANDIDATE_VECTORS_MAX: 10, CANDIDATE_IMAGES_MAX: 5, VECTOR_LENGTH_MAX: 20 };
  const vector = Array.from({ length: 20 }, () => 0.5);
  const vectors = Array.from({ length: 10 }, (_, i) => ({ id: `vector ${i}`, vector }));
  const images = Array.from({ length: 5 }, (_, i) => ({ id: `image ${i}`, img: "AAAA" }));
  const call = JSON.stringify({ vector, candidates: [...vectors, ...images], align: true });
  assert.equal(excessOf(call, jsonBounds(limits)), undefined);
});
