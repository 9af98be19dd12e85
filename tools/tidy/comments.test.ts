// Covers the doc comments of all packages.
import assert from "node:assert/strict";
import test from "node:test";
import { read, sourceFiles } from "./source.ts";

/** Largest share of doc comments that may begin with a fragment. */
const shareMax = 0.02;

/** Words that begin a fragment, which only the line below explains: "Of a batch that was not run." */
const firstWords = new Set(
  (
    "What Of Where In For From As Without Not With By To On At Than Beside Besides So But That Which Like " +
    "Between And Also Within Under Over Above Below After Before Until"
  ).split(" "),
);

test("a doc comment begins with what the thing is or does", () => {
  const comments = sourceFiles().flatMap((file) => {
    const text = read(file);
    return [...text.matchAll(/\/\*\*\s*(?:\*\s*)?(\w+)[^\n]*/g)].map(
      ({ 0: comment, 1: word = "", index }) => {
        const line = text.slice(0, index).split("\n").length;
        return { word, place: `${file}:${line}: ${comment.replaceAll(/\s+/g, " ")}` };
      },
    );
  });
  const fragments = comments.filter(({ word }) => firstWords.has(word));
  assert.ok(
    fragments.length <= shareMax * comments.length,
    `${fragments.length} of ${comments.length} doc comments begin with a fragment; ${100 * shareMax}% may:\n` +
      fragments.map(({ place }) => place).join("\n"),
  );
});
