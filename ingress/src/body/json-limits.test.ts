import assert from "node:assert/strict";
import { test } from "node:test";
import { type JsonLimits, JsonScan, jsonLimits } from "./json-limits.ts";

const limits: JsonLimits = { depthMax: 3, itemsMax: 3, listsMax: 8, stringsMax: 12, valuesMax: 10 };
const exceeded = (json: string, used = limits) => new JsonScan(used).exceeded(Buffer.from(json));

test("bytes within every limit may be parsed", () => {
  for (const json of ["", "5", '"text"', "{}", '{"a": [1, 2, 3], "b": {"c": ["d"]}}', "[[[]]]", "]]]]}}"]) {
    assert.equal(exceeded(json), undefined, json);
  }
});

test("each limit itself passes, and one more does not", () => {
  const cases: [string, string, string][] = [
    ["depth", "[[[]]]", "[[[[]]]]"],
    ["values", `{"a": [0${",0".repeat(10)}]}`, `{"a": [0${",0".repeat(11)}]}`],
    ["lists", "[[],[],[[],[],[]],9]", "[[[],[],[]],[[],[],[]]]"],
    ["strings", `{${'"a":"",'.repeat(5)}"a":""}`, `{${'"a":"",'.repeat(6)}"a":""}`],
  ];
  for (const [kind, within, beyond] of cases) {
    assert.equal(exceeded(within), undefined, within);
    assert.equal(exceeded(beyond)?.kind, kind, beyond);
  }
});

test("too many items are reported with the field of the body that holds them", () => {
  const lists = { a: [], candidates: [[1], "x", {}, [2]] };
  assert.deepEqual(exceeded(JSON.stringify(lists)), { kind: "items", field: "candidates" });
  assert.deepEqual(exceeded('{"a":[["b","c","d","e"]]}'), { kind: "items" });
  assert.equal(exceeded('{"a":[1,2,3,4,5,6]}'), undefined, "numbers are no items");
});

test("the content of a string is not counted, however its quotes are escaped", () => {
  const texts = ["[[[[[[", ',",,,,,,,,,,,,,,', '\\"[[[[[', "\\\\", '\\\\"[[[[', "é\u2028[[[["];
  for (const text of texts) assert.equal(exceeded(JSON.stringify({ a: text, b: [text] })), undefined, text);
  assert.equal(exceeded('{"a": "\\\\\\\\", "b": [[[1]]]}')?.kind, "depth");
  assert.equal(exceeded('{"never closed [[[[[[['), undefined);
});

test("one scan counts all JSON of one body", () => {
  const scan = new JsonScan(limits);
  const six = Buffer.from(`[0${",0".repeat(6)}]`);
  assert.equal(scan.exceeded(six), undefined);
  assert.equal(scan.exceeded(six)?.kind, "values");
});

test("the largest call that the settings allow passes", () => {
  const settings = { CANDIDATE_VECTORS_MAX: 10, CANDIDATE_IMAGES_MAX: 5, vectorLengthMax: 20 };
  const vector = Array.from({ length: 20 }, () => 0.5);
  const vectors = Array.from({ length: 10 }, (_, i) => ({ id: `vector ${i}`, vector }));
  const images = Array.from({ length: 5 }, (_, i) => ({ id: `image ${i}`, img: "AAAA" }));
  const call = JSON.stringify({ vector, candidates: [...vectors, ...images], align: true });
  assert.equal(exceeded(call, jsonLimits(settings)), undefined);
});
