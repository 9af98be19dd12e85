// Covers every style sheet: runtime/design/tokens.css is the only one with colours.
import assert from "node:assert/strict";
import test from "node:test";
import { findFiles, read } from "./source.ts";

const tokens = "runtime/design/tokens.css";
const sheets = findFiles("**/*.css");

test("colours stand in the tokens alone, but those that lie on an image", () => {
  const others = sheets.filter((sheet) => sheet !== tokens && !sheet.endsWith("/tester.css"));
  assert.ok(others.length > 0);
  const found = others.flatMap((sheet) =>
    Array.from(
      read(sheet).matchAll(/#[0-9a-f]{3,8}\b(?=[^{]*\})|light-dark\(/gi),
      ([colour]) => `${sheet}: ${colour}`,
    ),
  );
  assert.deepEqual(found, []);
});

test("every variable that a sheet uses is a token, its own, or set by a script", () => {
  const scripts = findFiles("web/src/**/*.ts").map(read);
  const set = scripts.flatMap((script) =>
    Array.from(script.matchAll(/setProperty\("(--[\w-]+)"/g), ([, name]) => name),
  );
  const namesIn = (sheet: string) => Array.from(read(sheet).matchAll(/(--[\w-]+):/g), ([, name]) => name);
  for (const sheet of sheets) {
    const known = new Set([...set, ...namesIn(tokens), ...namesIn(sheet)]);
    const used = Array.from(read(sheet).matchAll(/var\((--[\w-]+)/g), ([, name]) => name);
    assert.deepEqual(
      used.filter((name) => !known.has(name)),
      [],
      sheet,
    );
  }
});
