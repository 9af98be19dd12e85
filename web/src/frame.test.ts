import assert from "node:assert/strict";
import { test } from "node:test";
import { site, testFacts, textAt } from "../testing/site.ts";
import { frame } from "./frame.ts";
import { nothing } from "@faceline/runtime/design/html";

test("the version of the service and the licence of the typeface are in the footer", () => {
  const page = textAt("/");
  const [, address] = /href="([^"]*geist-licence\.txt)"/.exec(page)!;
  assert.match(textAt(address!), /SIL OPEN FONT LICENSE Version 1\.1/i);
  assert.match(page, /Faceline \d+\.\d+\.\d+/);
});

test("PUBLIC_URL is the canonical address of a page", () => {
  const page = { path: "/docs", title: "t", description: "d", scripts: [], content: nothing };
  const facts = { ...testFacts, publicUrl: "https://faces.example" };
  const canonical = '<link rel="canonical" href="https://faces.example/docs">';
  assert.ok(frame(page, facts, site).includes(canonical));
  assert.doesNotMatch(frame(page, testFacts, site), /canonical/);
});
