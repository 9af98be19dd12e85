import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readDevKey } from "./dev-key.ts";
import { welcomeMessage } from "./welcome.ts";

test("the development key is made once, for the owner's eyes, and replaced when it is damaged", (t) => {
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

test("the printed command can be pasted, also where a folder has a space in its name", () => {
  const text = welcomeMessage({
    addresses: ["http://127.0.0.1:8080"],
    key: "fl_dev_x",
    keyFile: "/home/a b/.faceline/dev-key",
    body: "/home/a b/.faceline/samples/verify.json",
    logs: "/home/a b/.faceline/logs",
    tookMs: 4_210,
  });
  assert.ok(text.includes('-H "x-api-key: fl_dev_x"'));
  assert.ok(text.includes('-d "@/home/a b/.faceline/samples/verify.json"'));
});
