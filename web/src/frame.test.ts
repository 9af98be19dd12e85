import assert from "node:assert/strict";
import { test } from "node:test";
import { site, testFacts, textAt } from "../testing/site.ts";
import { frame } from "./frame.ts";
import { nothing } from "@faceline/runtime/design/html";

test("keyboards reach the content first, and the theme can be chosen", () => {
  const page = textAt("/");
  assert.match(page, /<body>\s*<a class="skip" href="#main">/);
  assert.match(page, /<main id="main" tabindex="-1">/);
  assert.match(page, /<button type="button" id="theme"[^>]* hidden>/);
  assert.match(page, /<p id="status" [^>]*role="status">/);
});

test("the version of the service and the licence of the typeface are in the footer", () => {
  const page = textAt("/");
  const [, address] = /href="([^"]*geist-licence\.txt)"/.exec(page)!;
  assert.match(textAt(address!), /SIL OPEN FONT LICENSE Version 1\.1/i);
  assert.match(page, /Faceline \d+\.\d+\.\d+/);
});

test("icons are hidden from readers of the screen", () => {
  for (const [icon] of textAt("/").matchAll(/<svg[^>]*>/g)) assert.match(icon, /aria-hidden="true"/);
});

test("PUBLIC_URL is the canonical address of a page", () => {
  const page = { path: "/docs", title: "t", description: "d", scripts: [], content: nothing };
  const facts = { ...testFacts, publicUrl: "https://faces.example" };
  const canonical = '<link rel="canonical" href="https://faces.example/docs">';
  assert.ok(frame(page, facts, site).includes(canonical));
  assert.doesNotMatch(frame(page, testFacts, site), /canonical/);
});
