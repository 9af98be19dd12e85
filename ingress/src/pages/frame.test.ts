// Covers web/src/frame.ts, as the service answers.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { testServer } from "../../testing/server.ts";

// One server for all tests: every server renders all pages anew.
const { app } = testServer({ after, diagnostic: console.error });

test("keyboards reach the content first, and the theme can be chosen", async () => {
  const { body } = await app.inject("/");
  const afterBody = body.slice(body.indexOf("<body>"));
  assert.match(afterBody, /^<body>\s*<a class="skip" href="#main">/);
  assert.match(body, /<main id="main" tabindex="-1">/);
  assert.match(body, /<button type="button" id="theme"[^>]* hidden>/);
  assert.match(body, /<div|<p id="status" [^>]*role="status">/);
});

test("the version of the service and the licence of the typeface are in the footer", async () => {
  const { body } = await app.inject("/");
  const [, address] = /href="([^"]*geist-licence\.txt)"/.exec(body)!;
  assert.match((await app.inject(address!)).body, /SIL OPEN FONT LICENSE Version 1\.1/i);
  assert.match(body, /Faceline \d+\.\d+\.\d+/);
});

test("icons are hidden from readers of the screen", async () => {
  const { body } = await app.inject("/");
  for (const [icon] of body.matchAll(/<svg[^>]*>/g)) assert.match(icon, /aria-hidden="true"/);
});
