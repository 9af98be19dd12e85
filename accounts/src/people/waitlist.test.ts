import assert from "node:assert/strict";
import test from "node:test";
import { WaitlistForm } from "./waitlist.ts";

const parse = (text?: string) => WaitlistForm.safeParse({ email: "ada@example.test", text });

test("what somebody wrote keeps its lines, up to 1,000 characters", () => {
  assert.deepEqual(parse(" Door cameras.\r\nTwo sites. ").data, {
    email: "ada@example.test",
    text: "Door cameras.\nTwo sites.",
  });
  assert.equal(parse().data?.text, "");
  assert.equal(parse("x".repeat(1_000)).success, true);
  assert.equal(parse("x".repeat(1_001)).success, false);
});

test("controls of terminals and of writing directions are refused", () => {
  for (const text of ["\u001b[2J", "a\0b", "a\rb", "\u202emoc.elpmaxe", "\u2066a"]) {
    assert.equal(parse(text).success, false, JSON.stringify(text));
  }
});
