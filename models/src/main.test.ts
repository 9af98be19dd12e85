import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

function models(...args: string[]): { code: number | null; out: string; err: string } {
  const main = join(import.meta.dirname, "main.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: "utf8" });
  return { code: status, out: stdout, err: stderr };
}

test("a folder fails to verify until it is built, and a second build changes nothing", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "models-"));
  t.after(() => rm(folder, { recursive: true }));

  const empty = models("verify", "--to", folder);
  assert.equal(empty.code, 1);
  assert.equal(empty.err.trim().split("\n").length, 11);

  const first = models("build", "--to", folder);
  assert.equal(first.code, 0, first.err);
  assert.match(first.out, /^built {2}ssd-512\.float32\.onnx +22\.1 MB +\d+ ms$/m);
  assert.doesNotMatch(models("build", "--to", folder).out, /built/);
  const verified = models("verify", "--to", folder);
  assert.deepEqual(verified.code, 0);
  assert.match(verified.out, /^\d+ models match the catalogue; not pulled: .*MobileFaceNet/);
  assert.match(models("list", "--to", folder).out, /^MobileFaceNet .* not pulled +MIT AND Apache-2\.0$/m);
});

test("list shows a line for each build", () => {
  const { code, out } = models("list");
  assert.equal(code, 0);
  assert.match(
    out,
    /^Dlib +embedding +float32 +22\.4 MB +[0-9a-f]{12} +(not )?built +MIT AND LicenseRef-public-domain$/m,
  );
});

test("wrong arguments show the usage", () => {
  for (const [args, reason] of [
    [[], /^usage:/],
    [["bild"], /^unknown verb: bild\n\nusage:/],
    [["toString"], /^unknown verb: toString/],
    [["list", "ssd"], /^unexpected arguments: ssd/],
    [["pull"], /^pull: which models\? list shows them/],
    [["build", "--two", "x"], /^Unknown option '--two'/],
  ] as const) {
    const { code, err } = models(...args);
    assert.equal(code, 2);
    assert.match(err, reason);
  }
});

test("a name that the catalogue does not have cannot be pulled", () => {
  assert.deepEqual(models("pull", "Facenet"), {
    code: 1,
    out: "",
    err: 'the catalogue has no Facenet; "npm run models -- list" shows its models\n',
  });
});

test("--help shows the usage, with and without a verb", () => {
  for (const args of [["--help"], ["build", "--help"], ["calibrate", "--help"]]) {
    const { code, out, err } = models(...args);
    assert.deepEqual([code, err], [0, ""]);
    assert.match(out, /^usage: /);
  }
});
