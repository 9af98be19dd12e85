import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import * as z from "zod";
import { readConfig } from "./config.ts";
import { FileContent } from "./file-setting.ts";

const Config = z.object({ PASSWORD_FILE: FileContent.optional() });

test("the value of a setting that names a file is its content, without the end of the line", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "faceline-setting-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "password");
  writeFileSync(file, "secret word\n");
  assert.deepEqual(readConfig(Config, { PASSWORD_FILE: file }), { PASSWORD_FILE: "secret word" });
  assert.deepEqual(readConfig(Config, { PASSWORD_FILE: "" }), {});
});

test("a file that cannot be read is named by its setting", () => {
  assert.throws(() => readConfig(Config, { PASSWORD_FILE: "/nonesuch" }), {
    message: "settings:\n  PASSWORD_FILE: the file cannot be read (ENOENT)",
  });
});
