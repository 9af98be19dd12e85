import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

test("the client needs nothing but itself when it runs: all else that it imports are types", () => {
  const files = globSync("!(*.test).ts", { cwd: import.meta.dirname });
  assert.ok(files.length >= 4);
  for (const file of files) {
    const text = readFileSync(`${import.meta.dirname}/${file}`, "utf8");
    const values = [...text.matchAll(/^import (?!type )[^;]* from "([^"]+)";/gm)].map(([, from]) => from!);
    assert.deepEqual(
      values.filter((from) => !/^\.\/[a-z]+\.ts$/.test(from)),
      [],
      file,
    );
  }
});
