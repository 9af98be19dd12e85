import assert from "node:assert/strict";
import test from "node:test";
import { Email } from "./email.ts";

test("an address is stored in lower case and without the spaces around it", () => {
  assert.equal(Email.parse("  Ada@Example.TEST\n"), "ada@example.test");
});

test("what a mail program would read as other headers or several addresses is refused", () => {
  for (const text of [
    "",
    "ada",
    "ada@example.test\r\nBcc: eve@example.test",
    "ada@example.test,eve@example.test",
    "ada@example.test eve@example.test",
    "Ada <ada@example.test>",
    "<ada@example.test>",
    "ada@example.test\0",
    "ada@[127.0.0.1]",
    `${"a".repeat(250)}@example.test`,
  ]) {
    assert.equal(Email.safeParse(text).success, false, JSON.stringify(text));
  }
});
