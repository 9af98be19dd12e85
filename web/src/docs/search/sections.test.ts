import assert from "node:assert/strict";
import test from "node:test";
import type { Html } from "@faceline/runtime/design/html";
import { sectionsOf } from "./sections.ts";

const sections = (page: string) =>
  sectionsOf(page as Html).map(({ anchor, title, within, text, level }) => [
    level,
    anchor,
    title,
    within,
    text,
  ]);

test("a text has a section for each heading, with its words", () => {
  const page = `<h1>A &#38; B</h1>\n<p>One <a href="#c">two</a>.</p><h2 id="c">C</h2><p>Three</p><h3 id="d">D</h3>`;
  assert.deepEqual(sections(page), [
    ["page", "", "A & B", "", "One two."],
    ["heading", "c", "C", "", "Three"],
    ["subheading", "d", "D", "", ""],
  ]);
});

test("an entry of a list says under which heading it is, and what follows the list is not its own", () => {
  const page =
    `<section class="operation" id="v" aria-labelledby="v-title"><div class="about"><h2 id="v-title"><a>V</a></h2>` +
    `<dl><div id="v-x"><dt><a href="#v-x"><code>x</code></a><span>number</span></dt><dd>Y</dd></div></dl><p>Z</p>`;
  assert.deepEqual(sections(page), [
    ["heading", "v", "V", "", ""],
    ["entry", "v-x", "x", "V", "number Y"],
  ]);
});

test("commands can be found, programs cannot", () => {
  const figure = (caption: string, code: string) =>
    `<figure class="code"><figcaption><span>${caption}</span></figcaption><pre>${code}</pre></figure>`;
  const page = `<h1>A</h1>${figure("Commands", "npm start")}${figure("Python", "import")}`;
  assert.deepEqual(sections(page), [["page", "", "A", "", "npm start"]]);
});
