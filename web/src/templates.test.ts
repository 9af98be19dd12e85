// Covers runtime/design/html.ts, and the templates of all pages.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { each, html } from "@faceline/runtime/design/html";

const repository = new URL("../../", import.meta.url);
const files = globSync(["web/src/**/*.ts", "runtime/design/html.ts", "runtime/live/*.ts"], {
  cwd: repository,
  exclude: ["web/src/browser/**", "**/*.test.ts"],
});
const sources = files.map((file) => ({
  file,
  text: readFileSync(new URL(file, repository), "utf8").replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, ""),
}));

test("values are escaped, in text and in attributes", () => {
  const value = `"><script>'&`;
  const escaped = "&#34;&#62;&#60;script&#62;&#39;&#38;";
  assert.equal(html`<p title="${value}">${value}</p>`, `<p title="${escaped}">${escaped}</p>`);
  assert.equal(html`<b>!${each([1, 2], (n) => html`${n}`)}</b>`, "<b>12</b>");
  assert.equal(html`<b>${undefined}</b>`, "<b></b>");
});

test("HTML is inserted only by calls of functions that return Html", () => {
  const functions = new Set(
    sources.flatMap(({ text }) => [
      ...Array.from(
        text.matchAll(/function (\w+)(?:<[^>]*>)?\((?:[^()]|\([^()]*\))*\): Html\b/g),
        ([, name]) => name!,
      ),
      ...Array.from(text.matchAll(/(\w+) = \([^=]*?\): Html =>/g), ([, name]) => name!),
    ]),
  );
  assert.ok(functions.size > 5);
  for (const { file, text } of sources) {
    for (const [inserted, name = ""] of text.matchAll(/!\$\{(\w*)(?:\(|.?)/g)) {
      assert.ok(functions.has(name) && inserted.endsWith("("), `${file}: ${inserted}`);
    }
  }
});

test("every value in a tag is in quotes", () => {
  for (const { file, text } of sources) {
    assert.deepEqual(text.match(/<\w[^<>`]*=\$\{[^}]*\}/g), null, file);
  }
});

test("no template has a style, a handler or a script of its own: the policy would block them", () => {
  for (const { file, text } of sources) {
    assert.deepEqual(
      text.match(/<style|<script(?! (?:type="module" )?src=)|\sstyle="|\son\w+="/g),
      null,
      file,
    );
  }
});

test("text becomes Html by a cast in html.ts alone", () => {
  const casts = sources.filter(({ text }) => /\bas Html\b/.test(text)).map(({ file }) => file);
  assert.deepEqual(casts.toSorted(), ["runtime/design/html.ts"]);
});
