import assert from "node:assert/strict";
import test from "node:test";
import { findSections, type SearchIndex } from "./find-sections.ts";

const index: SearchIndex = {
  pages: [
    ["/docs/limits", "Limits"],
    ["/docs/errors", "Errors"],
  ],
  sections: [
    [0, "", "Limits", "", "Every rate limit of a team, and the headers of a response."],
    [0, "retries", "Retries", "", "After 429 wait for Retry-After."],
    [1, "rate_limited", "rate_limited", "4xx", "429 The team sends more requests than its limits allow."],
    [1, "queue_full", "queue_full", "5xx", `503 ${"Too many requests are waiting already. ".repeat(9)}`],
  ],
};

const addresses = (query: string): string[] => findSections(index, query).map(({ address }) => address);

test("an error code leads to its entry, a title before a text", () => {
  assert.deepEqual(addresses("rate_limited"), ["/docs/errors#rate_limited"]);
  assert.deepEqual(addresses("429"), ["/docs/limits#retries", "/docs/errors#rate_limited"]);
  assert.equal(addresses("limits")[0], "/docs/limits");
});

test("every word of the query must be there, or begin a word", () => {
  assert.deepEqual(addresses("retry 429"), ["/docs/limits#retries"]);
  assert.deepEqual(addresses("full"), ["/docs/errors#queue_full"]);
  assert.deepEqual(addresses("ueue waiting"), ["/docs/errors#queue_full"], "inside a title");
  assert.deepEqual(addresses("aiting"), [], "not inside a text");
  assert.deepEqual(addresses("429 nothing"), []);
  assert.deepEqual(addresses(" … "), []);
});

test("a result says where it is, and shows the words around the match", () => {
  const [found] = findSections(index, "503 waiting");
  assert.deepEqual([found?.title, found?.place], ["queue_full", "Errors › 5xx"]);
  assert.match(found!.excerpt, /^503 Too many .*…$/);
  assert.equal(findSections(index, "limits")[0]?.place, "", "the title is not repeated");
});
