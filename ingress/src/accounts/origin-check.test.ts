import assert from "node:assert/strict";
import test from "node:test";
import { rejectForeignForm } from "./origin-check.ts";

const isLetIn = (headers: Record<string, string>, publicOrigin?: string): boolean => {
  try {
    rejectForeignForm(headers, { publicOrigin, host: "faces.example" });
    return true;
  } catch {
    return false;
  }
};

test("Sec-Fetch-Site decides where it is sent: only same-origin gets in", () => {
  assert.equal(isLetIn({ "sec-fetch-site": "same-origin" }), true);
  for (const site of ["cross-site", "same-site", "none", ""]) {
    const headers = { "sec-fetch-site": site, origin: "https://faces.example" };
    assert.equal(isLetIn(headers), false, site);
  }
});

test("without it Origin must be that of PUBLIC_URL, or the host that was called", () => {
  assert.equal(isLetIn({ origin: "https://faces.example" }), true);
  assert.equal(isLetIn({ origin: "https://faces.example" }, "https://faces.example"), true);
  // Behind a proxy the host may be another one.
  assert.equal(isLetIn({ origin: "https://public.example" }, "https://public.example"), true);
  const foreign = ["https://evil.example", "https://faces.example.evil.example", "null", "", "faces.example"];
  for (const origin of [...foreign, "http://faces.example:8080"]) {
    assert.equal(isLetIn({ origin }), false, origin);
    assert.equal(isLetIn({ origin }, "https://faces.example"), false, origin);
  }
  assert.equal(isLetIn({ origin: "http://faces.example" }, "https://faces.example"), false);
});

test("with neither it is refused: no form of a browser is sent so", () => {
  assert.equal(isLetIn({}), false);
  assert.equal(isLetIn({ referer: "https://faces.example/waitlist" }), false);
});
