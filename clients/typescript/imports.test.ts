import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

// Covers every file of the client package but api-types.ts, in whose place it has generated types.

test("the client imports its own files alone, for types too", () => {
  const files = globSync("!(*.test|api-types).ts", { cwd: import.meta.dirname });
  assert.ok(files.length >= 4);
  for (const file of files) {
    const text = readFileSync(`${import.meta.dirname}/${file}`, "utf8");
    const specifiers = [...text.matchAll(/\bfrom "([^"]+)"|\bimport\(?\s*"([^"]+)"/g)].map(
      ([, from, bare]) => from ?? bare!,
    );
    assert.deepEqual(
      specifiers.filter((specifier) => !/^\.\/[a-z0-9-]+\.ts$/.test(specifier)),
      [],
      file,
    );
  }
});
