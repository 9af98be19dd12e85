import assert from "node:assert/strict";
import { test } from "node:test";
import sharp from "sharp";
import { rendered, site, testFacts, textAt } from "../testing/site.ts";
import { findSections, type SearchIndex, searchIndexPath } from "./docs/search/find-sections.ts";
import { html } from "@faceline/runtime/design/html";
import { inWords, renderSite, sources } from "./render.ts";
import { english } from "./words/language.ts";

/** Addresses of the service that pages link to. */
const routes = ["/openapi.json", "/waitlist", "/dashboard"];

const allPages = sources.map((page) => inWords(page, english));

for (const { path, title } of allPages) {
  test(`${path}: a page with a title, one heading, and every id once`, () => {
    const page = textAt(path);
    assert.equal(site.findPage(path)!.en.type, "text/html; charset=utf-8");
    assert.match(page, /<html lang="en">/);
    assert.ok(page.includes(`<title>${html`${title}`} · Faceline</title>`));
    assert.equal(page.match(/<h1/g)?.length, 1);
    assert.doesNotMatch(page, /undefined|\[object|NaN/);
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length);
  });
}

test("every address in every page resolves, anchors included", () => {
  for (const { path } of allPages) {
    for (const [, address] of textAt(path).matchAll(/ (?:href|src)="([^"]*)"/g)) {
      const [target = "", anchor] = address!.split("#");
      if (routes.includes(target)) continue;
      const linked = textAt(target === "" ? path : target);
      assert.ok(anchor === undefined || linked.includes(` id="${anchor}"`), `${path} links to ${address}`);
    }
  }
});

test("a page for visitors is in each language, with the words of its script", () => {
  for (const language of ["en", "de", "es"] as const) {
    const page = Buffer.from(site.findPage("/")![language]!.bodies.identity!).toString();
    assert.match(page, new RegExp(`<html lang="${language}">`));
    assert.match(page, / data-words="\{&#34;modes&#34;:/);
  }
});

test("a tester that the operator has turned off says so, and loads no script", async () => {
  const off = await renderSite({ ...testFacts, tester: { ...testFacts.tester, on: false } });
  const page = Buffer.from(off.pages.get("/")!.en.bodies.identity!).toString();
  assert.match(page, /has turned the tester off.*href="\/docs\/quick-start"/s);
  assert.doesNotMatch(page, /id="tester"|tester\.js/);
});

test("all pages and assets together take less than 2.5 MiB of memory", () => {
  const translations = [...rendered.pages.values(), rendered.missingPage].flatMap((page) =>
    Object.values(page),
  );
  const bodies = [...translations, ...rendered.assets.values()].flatMap(({ bodies }) =>
    Object.values(bodies),
  );
  const bytes = bodies.reduce((sum, body) => sum + body.buffer.byteLength, 0);
  assert.ok(bytes < 2.5 * 1024 ** 2, `${bytes} bytes`);
});

test("a page with everything that it loads is at most 64 kB on the wire", () => {
  for (const { path } of allPages) {
    const loaded = textAt(path).matchAll(/<(?:link|script)[^>]* (?:href|src)="(\/assets\/[^"]*)"/g);
    const contents = [
      site.findPage(path)!.en,
      ...Array.from(loaded, ([, address]) => site.findAsset(address!)!),
    ];
    const bytes = contents.reduce((sum, { bodies }) => sum + (bodies.gzip ?? bodies.identity!).length, 0);
    assert.ok(bytes <= 64 * 1024, `${path}: ${bytes} bytes`);
  }
});

test("a guide lists its headings, the reference and the overview do not", () => {
  const guide = textAt("/docs/thresholds");
  const [, outline = ""] = /<nav aria-label="On this page">(.*?)<\/nav>/s.exec(guide) ?? [];
  const listed = Array.from(outline.matchAll(/href="#([^"]*)"/g), ([, anchor]) => anchor);
  const headings = Array.from(guide.matchAll(/<h2 id="([^"]*)"/g), ([, id]) => id);
  assert.ok(listed.length > 4);
  assert.deepEqual(listed, headings);
  for (const path of ["/docs", "/docs/reference"]) assert.doesNotMatch(textAt(path), /On this page/);
});

test("browsers and crawlers find an icon and rules where they look by themselves", async () => {
  for (const [path, px] of [
    ["/favicon.ico", 48],
    ["/apple-touch-icon.png", 180],
  ] as const) {
    const { type, bodies } = site.findPage(path)!.en;
    const { format, width, height } = await sharp(bodies.identity).metadata();
    assert.deepEqual([type, format, width, height], ["image/png", "png", px, px]);
  }
  assert.equal(textAt("/robots.txt"), "User-agent: *\nDisallow: /tester/\n");
  assert.match(
    textAt("/.well-known/security.txt"),
    /^Contact: http:\/\/127\.0\.0\.1:8080\/docs\/security\nExpires: 20\S+Z\n$/,
  );
});

test("the search index has every guide, error, endpoint and chapter, and weighs at most 64 kB", () => {
  assert.ok(site.findPage(searchIndexPath)!.en.bodies.gzip!.length <= 64 * 1024);
  const index = JSON.parse(textAt(searchIndexPath)) as SearchIndex;
  const first = (query: string) => findSections(index, query)[0]?.address;
  for (const [address, queries] of Object.entries(firstResults))
    for (const query of queries) assert.equal(first(query), address, query);
  for (const { path } of allPages) {
    const isListed = index.pages.some(([listed]) => listed === path);
    assert.equal(isListed, !["/", "/docs/notice", "/docs/changelog"].includes(path), path);
  }
  for (const [page, anchor] of index.sections) {
    const [path] = index.pages[page]!;
    assert.ok(anchor === "" || textAt(path).includes(` id="${anchor}"`), `${path}#${anchor}`);
  }
});

/** The sections that answer what people typed. */
const firstResults = {
  "/docs/clients#go-and-java": ["java"],
  "/docs/errors#queue_full": ["queue_full"],
  "/docs/images#how-to-send-it": ["send a file"],
  "/docs/limits#retries": ["429"],
  "/docs/models": ["license"],
  "/docs/models#no-liveness-check": ["liveness", "anti-spoofing"],
  "/docs/one-against-many": ["compare one with many", "1:N", "gallery"],
  "/docs/operating/backup": ["back-up"],
  "/docs/operating/data-protection": ["retention", "how long"],
  "/docs/operating/go-live": ["go live", "production checklist"],
  "/docs/privacy#what-you-are-responsible-for": ["consent"],
  "/docs/reference/represent": ["POST /represent"],
  "/docs/reference/verify#verify-body-face_policy": ["face_policy"],
  "/docs/running#what-you-need": ["windows", "requirements"],
  "/docs/search-with-pgvector#store-and-search": ["store embeddings"],
  "/docs/security": ["security", "cve", "vulnerability"],
  "/docs/thresholds": ["thresholds", "choose threshold"],
};
