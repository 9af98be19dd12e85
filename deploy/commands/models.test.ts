import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import test from "node:test";

const models = (...args: string[]) => {
  const main = join(import.meta.dirname, "models.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
};

test("thresholds shows the usage for --help, and a sentence without a stack for an unknown option", () => {
  const help = models("thresholds", "--help");
  assert.deepEqual([help.status, help.stderr], [0, ""]);
  assert.match(help.stdout, /^usage: [\s\S]*thresholds /);
  const unknown = models("thresholds", "--wriet");
  assert.equal(unknown.status, 2);
  assert.match(unknown.stderr, /^Unknown option '--wriet'.*\n.* shows the usage\.\n$/);
});
