// Covers the scripts of package.json: with `--help`, each tells what it does, and does nothing else.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { repository } from "@faceline/deploy/launcher/state-folder";

test("every command prints its usage for --help", () => {
  const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
  const files = Object.values<string>(scripts).flatMap((script) => /[^ ]+\.ts/.exec(script) ?? []);
  const silent = files.filter((file) => {
    const { stdout } = spawnSync(process.execPath, [file, "--help"], { cwd: repository, encoding: "utf8" });
    return !/^(usage: *\n? *)?npm (run )?\S+/.test(stdout);
  });
  assert.deepEqual(silent, []);
});
