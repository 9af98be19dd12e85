// Covers web/src/headers.ts, as the service answers.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { testServer } from "../../testing/server.ts";
import { pageHeaders } from "@faceline/web/headers";

// One server for all tests: every server renders all pages anew.
const { app } = testServer({ after, diagnostic: console.error });

const policy = new Map(
  pageHeaders["content-security-policy"].split("; ").map((directive) => {
    const [name, ...sources] = directive.split(" ");
    return [name!, sources];
  }),
);

test("the policy allows nothing by default, and what it allows comes from this service alone", () => {
  assert.deepEqual(policy.get("default-src"), ["'none'"]);
  for (const [name, sources] of policy) {
    if (!name.endsWith("-src") || name === "default-src" || name === "base-uri") continue;
    // `blob:` is what a script of the page has made: an image that the reader chose.
    assert.deepEqual(sources, name === "img-src" ? ["'self'", "blob:"] : ["'self'"], name);
  }
  assert.deepEqual(policy.get("base-uri"), ["'none'"]);
  assert.deepEqual(policy.get("form-action"), ["'self'"]);
  assert.deepEqual(policy.get("frame-ancestors"), ["'none'"]);
});

test("the policy has no word that would let markup run as code", () => {
  assert.doesNotMatch(pageHeaders["content-security-policy"], /unsafe|\*|https?:|data:|strict-dynamic/);
  assert.deepEqual(policy.get("require-trusted-types-for"), ["'script'"]);
  assert.deepEqual(policy.get("trusted-types"), ["'none'"]);
});

test("every answer of the pages has the same headers: pages, assets, redirects and what is not there", async () => {
  const home = (await app.inject("/")).body;
  const [asset] = /\/assets\/[^"]+\.css/.exec(home)!;
  const answers = {
    "/": 200,
    [asset]: 200,
    "/problems/queue_full": 302,
    "/docs/nothing": 404,
    "/assets/x": 404,
  };
  for (const [url, status] of Object.entries(answers)) {
    const response = await app.inject({ url, headers: { accept: "text/html" } });
    assert.equal(response.statusCode, status, url);
    for (const [name, value] of Object.entries(pageHeaders)) assert.equal(response.headers[name], value, url);
    assert.equal(response.headers["set-cookie"], undefined);
  }
});

test("the API has none of them", async () => {
  const { headers } = await app.inject("/livez");
  assert.equal(headers["content-security-policy"], undefined);
});
