import assert from "node:assert/strict";
import { test } from "node:test";
import { drawBody } from "../../testing/json-bodies.ts";
import { jsonFault } from "./json-fault.ts";

const faults: [body: string, fault: string][] = [
  ['{"a": NaN}', "line 1, column 7 has NaN, which JSON does not have"],
  ['{"a": [1, -Infinity]}', "line 1, column 11 has -Infinity, which JSON does not have"],
  ['{"a": None}', "line 1, column 7 has None, which JSON does not have"],
  ['{"a": 1,}', "line 1, column 8 has a comma too many"],
  ['{\n  "a": [1, 2, ]\n}', "line 2, column 13 has a comma too many"],
  ["{'a': 1}", "line 1, column 2 has a single quote: JSON has double quotes"],
  ["{a: 1}", "line 1, column 2 has a name without double quotes"],
  ['{"ä": "b\nc"}', "line 1, column 9 has a line break inside a string"],
  ['{"a": "b\tc"}', "line 1, column 9 has a control character inside a string"],
  ['{"a": "C:\\images"}', "line 1, column 10 has a single backslash inside a string"],
  ['{"a": .5}', "line 1, column 7 has a number that JSON does not have"],
  ['{"a": 1 "b": 2}', "line 1, column 9 has no comma or bracket before it"],
  ['{"a" 1}', "line 1, column 6 has no colon between a name and its value"],
  ['{"a": 1} // done', "line 1, column 10 has more text after the end of the JSON"],
  ['{"a": 1, // one\n}', "line 1, column 10 has a comment, which JSON does not have"],
  ['{"a": @file}', "line 1, column 7 has no JSON value"],
  ['{"a": [1', "line 1, column 9 has the end of the body inside a string, a list or an object"],
  ['{"a": "b', "line 1, column 9 has the end of the body inside a string, a list or an object"],
];

for (const [body, fault] of faults) {
  test(`${JSON.stringify(body)}: ${fault}`, () => assert.equal(jsonFault(Buffer.from(body)), fault));
}

test("bytes have a fault where JSON.parse refuses them, and nowhere else", () => {
  const counts = { valid: 0, faulty: 0 };
  for (let seed = 0; seed < 3_000; seed++) {
    // The parsers do not pass on a byte order mark, or bytes that are not UTF-8.
    const bytes = Buffer.from(
      drawBody(seed)
        .toString("utf8")
        .replace(/^\ufeff/, ""),
    );
    const isValid = isJson(bytes.toString("utf8"));
    assert.equal(jsonFault(bytes) === undefined, isValid, `seed ${seed}`);
    counts[isValid ? "valid" : "faulty"]++;
  }
  assert.ok(counts.valid > 500 && counts.faulty > 500);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
