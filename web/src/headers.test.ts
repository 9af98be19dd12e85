import assert from "node:assert/strict";
import { test } from "node:test";
import { pageHeaders } from "./headers.ts";

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
