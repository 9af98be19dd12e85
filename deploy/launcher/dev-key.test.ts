import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readDevKey } from "./dev-key.ts";

test("the development key is made once, readable by its owner alone, and replaced when it is damaged", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "faceline-key-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "dev-key");

  const key = readDevKey(file);
  assert.match(key, /^fl_dev_[A-Za-z0-9_-]{43}$/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(readDevKey(file), key);

  writeFileSync(file, "fl_dev_short");
  assert.notEqual(readDevKey(file), key);
});
