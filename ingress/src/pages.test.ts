import assert from "node:assert/strict";
import { after, test } from "node:test";
import { errorTable } from "@faceline/contracts/http/errors";
import { pageHeaders } from "@faceline/web/headers";
import { testServer } from "../testing/server.ts";

// One server for all tests: every server renders all pages itself.
const { app } = testServer({ after, diagnostic: console.error });

const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const [style] = /\/assets\/[^"]+\.css/.exec((await app.inject("/")).body)!;

test("a page is revalidated each time, and an asset is kept for a year", async () => {
  const cached = async (url: string) =>
    (await app.inject({ url, headers: browser })).headers["cache-control"];
  assert.equal(await cached("/docs/errors"), "no-cache");
  assert.equal(await cached(style), "public, max-age=31536000, immutable");
});

test("every answer of the pages has the same headers: pages, assets, redirects and what is not there", async () => {
  const answers = {
    "/": 200,
    [style]: 200,
    "/problems/queue_full": 302,
    "/docs/nothing": 404,
    "/assets/x": 404,
    "/nowhere": 404,
  };
  for (const [url, status] of Object.entries(answers)) {
    const response = await app.inject({ url, headers: browser });
    assert.equal(response.statusCode, status, url);
    for (const [name, value] of Object.entries(pageHeaders)) assert.equal(response.headers[name], value, url);
    assert.equal(response.headers["set-cookie"], undefined);
  }
  assert.equal((await app.inject("/livez")).headers["content-security-policy"], undefined);
});

test("a page depends on its encoding and language, and on the origin where some are allowed", async (t) => {
  assert.equal((await app.inject("/")).headers.vary, "accept-encoding, accept-language");
  const { app: open } = testServer(t, { settings: { CORS_ORIGINS: "https://faces.example" } });
  assert.equal((await open.inject("/")).headers.vary, "accept-encoding, accept-language, origin");
});

test("what is not an asset is not served, under whatever path", async () => {
  const [, , version] = style.split("/");
  const paths = [
    `${version}/browser/tsconfig.json`,
    `${version}/theme.ts`,
    `${version}/../assets.ts`,
    `${version}/%2e%2e/assets.ts`,
    `${version}/..%2fassets.ts`,
    `${version}/theme.js/`,
    `${version}/constructor`,
    `${version}/`,
    "theme.js",
    "000000000000/theme.js",
    "",
  ];
  for (const path of paths) {
    const response = await app.inject(`/assets/${path}`);
    assert.deepEqual([response.statusCode, response.json().error], [404, "not_found"], path);
  }
});

test("the `type` of every error leads to its entry", async () => {
  const errors = (await app.inject("/docs/errors")).body;
  for (const code of Object.keys(errorTable)) {
    const { statusCode, headers } = await app.inject(`/problems/${code}`);
    assert.deepEqual([statusCode, headers.location], [302, `/docs/errors#${code}`]);
    assert.ok(errors.includes(` id="${code}"`), code);
  }
});

test("an address without a page: a page for browsers, the usual error for everybody else", async () => {
  const urls = ["/docs/nothing", "/docs/a/b", "/problems/nothing", "/problems/constructor", "/nowhere"];
  for (const url of urls) {
    const page = await app.inject({ url, headers: browser });
    assert.deepEqual([page.statusCode, page.headers["content-type"]], [404, "text/html; charset=utf-8"], url);
    assert.match(page.body, /There is no page at this address/);
    const json = await app.inject({ url, headers: { accept: "*/*" } });
    assert.deepEqual([json.statusCode, json.json().error], [404, "not_found"], url);
  }
});

test("another method than a path takes is JSON for browsers too", async () => {
  const post = await app.inject({ method: "POST", url: "/nowhere", headers: browser });
  assert.deepEqual([post.statusCode, post.json().error], [404, "not_found"]);
  const wrongMethod = await app.inject({ method: "POST", url: "/docs" });
  assert.deepEqual([wrongMethod.statusCode, wrongMethod.headers.allow], [405, "GET, HEAD"]);
});

test("a slash at the end leads to the page, and to no address that a header may not hold", async () => {
  for (const [url, status, location] of [
    ["/docs/", 308, "/docs"],
    ["/docs//", 308, "/docs"],
    ["/docs/errors/", 308, "/docs/errors"],
    ["/docs/%E2%82%AC/", 404, undefined],
    ["/docs/%0d%0a/", 404, undefined],
  ] as const) {
    const { statusCode, headers } = await app.inject({ url, headers: browser });
    assert.deepEqual([statusCode, headers.location], [status, location], url);
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
