import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { checkScripts, readScripts } from "./scripts.ts";

test("each script comes as one file that imports nothing", async () => {
  for (const [name, code] of await readScripts()) {
    assert.ok(code.length > 40, name);
    assert.doesNotMatch(code.toString(), /\b(import|export)\b[^;]*["']\.|\bimport\(/, name);
  }
});

test("scripts that are not built, or of other files than those that are there, are refused with what to do", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "scripts-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const sources = join(folder, "sources.json");
  await assert.rejects(checkScripts(pathToFileURL(sources)), /are not built: run `node web\/build\.ts`/);
  writeFileSync(sources, JSON.stringify({ "web/src/scripts.ts": "of another text" }));
  await assert.rejects(checkScripts(pathToFileURL(sources)), /are older than their files: run `node web/);
});
