import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import test from "node:test";

test("thresholds says in a sentence without a stack that an option is unknown", () => {
  const args = [join(import.meta.dirname, "models.ts"), "thresholds", "--wriet"];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  assert.equal(status, 2);
  assert.match(stderr, /^Unknown option '--wriet'.*\n.* shows the usage\.\n$/);
});
