import assert from "node:assert/strict";
import test from "node:test";
import { chaptersOf } from "./chapters.ts";

const document =
  "# Guide\n\nContents\n\n## First part\n\ntext\n\n### Inner\n\n```\n## no heading\n```\n\n## Second\n";

test("a document is split at its headings of one level, and anchors belong to their chapter", () => {
  const chapters = chaptersOf(document, 2).map(({ slug, title, anchors }) => ({ slug, title, anchors }));
  assert.deepEqual(chapters, [
    { slug: "first-part", title: "First part", anchors: ["first-part", "inner"] },
    { slug: "second", title: "Second", anchors: ["second"] },
  ]);
});

test("no text is lost but what stands before the first chapter", () => {
  const raw = chaptersOf(document, 2).flatMap(({ tokens }) => tokens.map((token) => token.raw));
  assert.equal(raw.join(""), document.slice(document.indexOf("## First part")));
});

test("at level 1 the whole document is a chapter", () => {
  assert.deepEqual(
    chaptersOf(document, 1).map(({ anchors }) => anchors),
    [["guide", "first-part", "inner", "second"]],
  );
});
