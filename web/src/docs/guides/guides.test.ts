// Covers the files of this folder, and the guides of docs/using.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { testFacts as facts } from "../../../testing/site.ts";
import { factTexts } from "./fact-texts.ts";
import { fragments } from "./fragments.ts";
import { renderGuide } from "./guide-body.ts";
import { guides } from "./guides.ts";

const folder = new URL("../../../../docs/using/", import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), "utf8");
const files = readdirSync(folder).filter((file) => file !== "README.md");

test("the list of docs/using/README.md has every guide", () => {
  const listed = guides.map(({ path }) => `${path.replace("/docs/", "")}.md`);
  assert.deepEqual(listed.toSorted(), files.toSorted());
});

test("every fact, table and example that a guide may name is named by one", () => {
  const named = files.flatMap((file) =>
    Array.from(read(file).matchAll(/\{\{(.+?)\}\}/g), ([, name]) => name!),
  );
  const known = [...Object.keys(factTexts(facts)), ...Object.keys(fragments)];
  assert.deepEqual([...new Set(named)].toSorted(), known.toSorted());
});

test("a page has no names in braces and no comments, with and without keys, accounts and the tester", () => {
  const off = { keysNeeded: false, accounts: false, tester: { ...facts.tester, on: false } };
  const unlimited = { limits: { ...facts.limits, team_in_flight: 0 } };
  for (const { path, body } of guides) {
    for (const variant of [facts, { ...facts, ...off, ...unlimited }]) {
      assert.doesNotMatch(body(variant), /\{\{|<!--|-->|undefined|NaN/, path);
    }
  }
});

test("lines of a condition are shown where it holds, inner ones too", () => {
  const guide =
    "<!-- if keys -->\nA\n<!-- if accounts -->\nB\n<!-- end -->\n<!-- end -->\n<!-- if no keys\nC\n-->\n";
  const shown = (changes: object): string =>
    renderGuide(guide, { ...facts, ...changes }).replaceAll(/<.*?>|\s/g, "");
  assert.equal(shown({}), "AB");
  assert.equal(shown({ accounts: false }), "A");
  assert.equal(shown({ keysNeeded: false }), "C");
});

test("an unknown name is refused", () => {
  for (const guide of ["{{limits.none}} here\n", "{{none}}\n", "<!-- if none -->\n<!-- end -->\n"]) {
    assert.throws(() => renderGuide(guide, facts), /which is not known/);
  }
});

test("error codes and paths become links, except in headings, code and links", () => {
  const html = renderGuide(
    "## /verify\n\n/verify, `/verify`, `queue_full`, [to /verify](errors.md#queue_full)\n",
    facts,
  );
  assert.match(html, /<h2 id="verify">\/verify<\/h2>/);
  assert.match(html, /<p><a href="\/docs\/reference\/verify">\/verify<\/a>, <code>\/verify<\/code>, /);
  assert.match(
    html,
    /<a href="\/docs\/errors#queue_full"><code>queue_full<\/code><\/a>, <a [^>]*queue_full">to \/verify</,
  );
});
