import assert from "node:assert/strict";
import { after, test } from "node:test";
import { errorTable } from "@faceline/contracts/http/errors";
import sharp from "sharp";
import { testFacts } from "../../testing/facts.ts";
import { testServer } from "../../testing/server.ts";
import { findSections, type SearchIndex, searchIndexPath } from "@faceline/web/docs/search/find-sections";
import { pageHeaders } from "@faceline/web/headers";
import { html } from "@faceline/web/html";
import { allPages, renderSite } from "@faceline/web/render";

// One server for all tests: every server renders all pages anew.
const { app } = testServer({ after, diagnostic: console.error });

const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

for (const { path, title } of allPages) {
  test(`${path}: a page with a title, one heading, and links that lead somewhere`, async () => {
    const response = await app.inject({ url: path, headers: browser });
    assert.equal(response.statusCode, 200);
    assert.equal(response.headers["content-type"], "text/html; charset=utf-8");
    assert.equal(response.headers["cache-control"], "no-cache");
    assert.match(response.body, /<html lang="en">/);
    const escapedTitle = html`${title}`;
    assert.ok(response.body.includes(`<title>${escapedTitle} · Faceline</title>`));
    assert.equal(response.body.match(/<h1/g)?.length, 1);
    assert.doesNotMatch(response.body, /undefined|\[object|NaN/);
    const ids = [...response.body.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length, "an id stands once");
  });
}

test("every address in every page resolves, anchors included", async () => {
  const checked = new Set<string>();
  for (const { path } of allPages) {
    const { body } = await app.inject(path);
    for (const [, address] of body.matchAll(/ (?:href|src)="([^"]*)"/g)) {
      const [target = "", anchor] = address!.split("#");
      const url = target === "" ? path : target;
      if (checked.has(`${url}#${anchor}`)) continue;
      checked.add(`${url}#${anchor}`);
      const response = await app.inject({ url, headers: browser });
      assert.equal(response.statusCode, 200, `${path} links to ${address}`);
      if (anchor !== undefined)
        assert.ok(response.body.includes(` id="${anchor}"`), `${path} links to ${address}`);
    }
  }
});

test("all pages and assets together take less than 2.5 MiB of memory", async () => {
  const { pages, assets, missingPage } = await renderSite(await testFacts());
  const translations = [...pages.values(), missingPage].flatMap((page) => Object.values(page));
  const contents = [...translations, ...assets.values()];
  const bodies = contents.flatMap(({ bodies }) => Object.values(bodies));
  const bytes = bodies.reduce((sum, body) => sum + body.buffer.byteLength, 0);
  assert.ok(bytes < 2.5 * 1024 ** 2, `${bytes} bytes`);
});

test("a page with everything that it loads is at most 64 kB on the wire", async () => {
  for (const { path } of allPages) {
    const addresses = [path];
    const { body } = await app.inject(path);
    for (const [, address] of body.matchAll(/<(?:link|script)[^>]* (?:href|src)="(\/assets\/[^"]*)"/g)) {
      addresses.push(address!);
    }
    const responses = addresses.map((url) => app.inject({ url, headers: { "accept-encoding": "gzip" } }));
    const bytes = (await Promise.all(responses)).reduce((sum, { rawPayload }) => sum + rawPayload.length, 0);
    assert.ok(bytes <= 64 * 1024, `${path}: ${bytes} bytes`);
  }
});

test("a guide lists its headings, the reference and the overview do not", async () => {
  const { body } = await app.inject("/docs/thresholds");
  const [, outline = ""] = /<nav aria-label="On this page">(.*?)<\/nav>/s.exec(body) ?? [];
  const listed = Array.from(outline.matchAll(/href="#([^"]*)"/g), ([, anchor]) => anchor);
  assert.ok(listed.length > 4);
  assert.deepEqual(
    listed,
    Array.from(body.matchAll(/<h2 id="([^"]*)"/g), ([, id]) => id),
  );
  for (const path of ["/docs", "/docs/reference"]) {
    assert.doesNotMatch((await app.inject(path)).body, /On this page/);
  }
});

test("HEAD has the length of a page and no body", async () => {
  const head = await app.inject({ method: "HEAD", url: "/" });
  assert.deepEqual([head.statusCode, head.body], [200, ""]);
  assert.equal(head.headers["content-length"], (await app.inject("/")).headers["content-length"]);
});

test("the `type` of every error leads to its entry", async () => {
  for (const code of Object.keys(errorTable)) {
    const { statusCode, headers } = await app.inject(`/problems/${code}`);
    assert.deepEqual([statusCode, headers.location], [302, `/docs/errors#${code}`]);
  }
});

test("an address without a page: a page for browsers, the usual error for everybody else", async () => {
  for (const url of ["/docs/nothing", "/docs/a/b", "/problems/nothing", "/problems/constructor"]) {
    const page = await app.inject({ url, headers: browser });
    assert.deepEqual([page.statusCode, page.headers["content-type"]], [404, "text/html; charset=utf-8"], url);
    assert.match(page.body, /There is no page at this address/);
    const json = await app.inject(url);
    assert.deepEqual([json.statusCode, json.json().error], [404, "not_found"], url);
  }
});

test("a browser gets a page for every address that does not exist, with the headers of pages", async () => {
  const page = await app.inject({ url: "/nowhere", headers: browser });
  assert.deepEqual([page.statusCode, page.headers["content-type"]], [404, "text/html; charset=utf-8"]);
  for (const [name, value] of Object.entries(pageHeaders)) assert.equal(page.headers[name], value);
  const program = await app.inject({ url: "/nowhere", headers: { accept: "*/*" } });
  assert.deepEqual([program.statusCode, program.json().error], [404, "not_found"]);
});

test("another method than a path takes is JSON for browsers too", async () => {
  const post = await app.inject({ method: "POST", url: "/nowhere", headers: browser });
  assert.deepEqual([post.statusCode, post.json().error], [404, "not_found"]);
  const wrongMethod = await app.inject({ method: "POST", url: "/docs" });
  assert.deepEqual([wrongMethod.statusCode, wrongMethod.headers.allow], [405, "GET, HEAD"]);
});

test("a path that a header may not hold is not found, with or without a slash at its end", async () => {
  for (const path of ["/docs/%E2%82%AC/", "/docs/%0d%0a/", "/docs/%E2%82%AC"]) {
    const response = await app.inject({ url: path, headers: browser });
    assert.deepEqual([response.statusCode, response.headers.location], [404, undefined], path);
  }
});

test("a slash at the end leads to the page", async () => {
  for (const [url, location] of [
    ["/docs/", "/docs"],
    ["/docs//", "/docs"],
    ["/docs/errors/", "/docs/errors"],
  ] as const) {
    const response = await app.inject(url);
    assert.deepEqual([response.statusCode, response.headers.location], [308, location]);
  }
});

test("PAGES=off: there is the API alone", async (t) => {
  const { app } = testServer(t, { settings: { PAGES: "off" } });
  for (const url of ["/", "/docs", "/docs/errors", "/problems/queue_full", "/assets/x"]) {
    const response = await app.inject({ url, headers: browser });
    assert.deepEqual([response.statusCode, response.json().error], [404, "not_found"], url);
    assert.equal(response.headers["content-security-policy"], undefined);
  }
  assert.equal((await app.inject("/openapi.json")).statusCode, 200);
});

test("browsers and crawlers find an icon and rules where they look by themselves", async () => {
  for (const [path, px] of [
    ["/favicon.ico", 48],
    ["/apple-touch-icon.png", 180],
  ] as const) {
    const { headers, rawPayload } = await app.inject(path);
    assert.equal(headers["content-type"], "image/png");
    const { format, width, height } = await sharp(rawPayload).metadata();
    assert.deepEqual([format, width, height], ["png", px, px]);
  }
  assert.equal((await app.inject("/robots.txt")).body, "User-agent: *\nDisallow: /tester/\n");
});

test("the search index has every guide, error, endpoint and chapter, and weighs at most 64 kB", async () => {
  const headers = { "accept-encoding": "gzip" };
  const { rawPayload } = await app.inject({ url: searchIndexPath, headers });
  assert.ok(rawPayload.length <= 64 * 1024, `${rawPayload.length} bytes`);
  const index: SearchIndex = (await app.inject(searchIndexPath)).json();
  const first = (query: string) => findSections(index, query)[0]?.address;
  assert.equal(first("queue_full"), "/docs/errors#queue_full");
  assert.equal(first("POST /represent"), "/docs/reference#represent");
  assert.equal(first("face_policy"), "/docs/reference#verify-body-face_policy");
  assert.equal(first("thresholds"), "/docs/thresholds");
  assert.equal(first("back-up"), "/docs/operating/backup");
  for (const { path } of allPages) {
    const isListed = index.pages.some(([listed]) => listed === path);
    assert.equal(isListed, path !== "/" && path !== "/docs/changelog", path);
  }
  for (const [page, anchor] of index.sections) {
    const [path] = index.pages[page]!;
    const { body } = await app.inject(path);
    assert.ok(anchor === "" || body.includes(` id="${anchor}"`), `${path}#${anchor}`);
  }
});

test("PUBLIC_URL is the canonical address of a page", async (t) => {
  const named = testServer(t, { settings: { PUBLIC_URL: "https://faces.example/" } });
  assert.match(
    (await named.app.inject("/")).body,
    /<link rel="canonical" href="https:\/\/faces\.example\/">/,
  );
  assert.doesNotMatch((await app.inject("/")).body, /canonical/);
});
