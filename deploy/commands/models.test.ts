import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import test from "node:test";

const models = (...args: string[]) => {
  const main = join(import.meta.dirname, "models.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
};

for (const verb of ["thresholds", "int8-ranges"]) {
  test(`${verb} shows the usage for --help, and a sentence without a stack for an unknown option`, () => {
    const help = models(verb, "--help");
    assert.deepEqual([help.status, help.stderr], [0, ""]);
    assert.match(help.stdout, new RegExp(`^usage: [\\s\\S]*${verb} `));
    const unknown = models(verb, "--wriet");
    assert.equal(unknown.status, 2);
    assert.match(unknown.stderr, /^Unknown option '--wriet'.*\n.* shows the usage\.\n$/);
  });
}

test("the verb that thresholds had before is refused with both commands that it may mean", () => {
  const { status, stderr } = models("calibrate", "--pairs", "pairs.csv");
  assert.equal(status, 2);
  assert.match(stderr, /^calibrate: npm run models -- thresholds measures labelled pairs/);
  assert.match(stderr, /npm run plan -- calibrate measures a machine/);
});
