import assert from "node:assert/strict";
import test from "node:test";
import { lexer } from "marked";
import { anchorOf, type Place, renderMarkdown } from "./markdown.ts";

const render = (markdown: string, placeOf: (href: string) => Place = () => undefined): string =>
  renderMarkdown(lexer(markdown), { placeOf });

test("texts are escaped, wherever they stand", () => {
  const shown = render("# A & *B*\n\n`<script>` and <tag>\n".replace("<tag>", "\\<tag\\>"));
  assert.match(shown, /<h1>A &#38; <em>B<\/em><\/h1>/);
  assert.match(shown, /<code>&#60;script&#62;<\/code> and &#60;tag&#62;/);
});

test("headings below the first have the anchors that GitHub gives them", () => {
  assert.match(render("## Kafka and `Redis`, both"), /<h2 id="kafka-and-redis-both">/);
  assert.match(render("### The operators' port"), /<h3 id="the-operators-port">/);
  assert.equal(anchorOf("npm start with --observe"), "npm-start-with---observe");
});

test("a link leads to a page, names a file of the repository, or is text", () => {
  const shown = render("[one](#a) [two](../README.md) [three](https://example.org)", (href) =>
    href === "#a" ? { address: "/docs/a" } : href.startsWith("..") ? { file: "README.md" } : undefined,
  );
  assert.equal(shown, '<p><a href="/docs/a">one</a> two (<code>README.md</code>) three</p>\n');
  const named = render("[SECURITY.md](../SECURITY.md)", () => ({ file: "SECURITY.md" }));
  assert.equal(named, "<p><code>SECURITY.md</code></p>\n");
});

test("a table has a heading for each column and each row, and can be scrolled", () => {
  const shown = render("| name | size |\n|---|--:|\n| `A_B` | 1 |\n");
  assert.match(shown, /<div class="wide cards" tabindex="0" role="region" aria-label="Table: name, size">/);
  assert.match(shown, /<th scope="row" [^>]*><code>A_<wbr>B<\/code><\/th>/);
  assert.match(shown, /<td [^>]*class="number" data-label="size"><div>1<\/div>/);
});

test("a quote is a note, and an alert of GitHub a warning", () => {
  assert.equal(render("> Mind it.\n"), '<div class="note"><p>Mind it.</p>\n</div>\n');
  assert.match(render("> [!WARNING]\n> Mind **it**.\n"), /^<div class="note warn"><p>Mind <strong>it/);
});

test("lists may hold code and further lists", () => {
  const shown = render("1. first\n   ```\n   npm start\n   ```\n2. second\n   - inner\n");
  assert.match(shown, /<ol><li>first<figure class="code">/);
  assert.match(shown, /<li>second<ul><li>inner<\/li>/);
});

test("raw HTML is refused", () => {
  assert.throws(() => render("<b>bold</b>\n"), /cannot show Markdown of type html/);
});
