import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { capture } from "@faceline/deploy/launcher/capture";
import { Steps } from "@faceline/deploy/launcher/steps";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { findVenv, setUpVenv } from "./venv.ts";

const withoutVenv =
  spawnSync("python3", ["-c", "import ensurepip"]).status !== 0 && "there is no python3-venv";

test("pip takes no package without a hash", { skip: withoutVenv }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "faceline-venv-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const requirements = join(folder, "requirements.txt");
  writeFileSync(requirements, "idna==3.20\n");
  const venv = { name: "test", pythonMin: "3.10", folder, requirements };
  await assert.rejects(setUpVenv(venv, new Steps(), t.signal), /Hashes are required/);
  assert.equal(findVenv(venv), undefined);
});

test("every package that pip installs has hashes", async () => {
  const files = (await capture("git", ["-C", repository, "ls-files", "*requirements.txt"]))
    .trim()
    .split("\n");
  assert.ok(files.length >= 4);
  for (const file of files) {
    const lines = readFileSync(join(repository, file), "utf8").replaceAll("\\\n", " ").trim().split("\n");
    const packages = lines.filter((line) => !/^(#|--no-binary [\w-]+$)/.test(line));
    for (const line of packages) assert.match(line, /^[\w.-]+==\S+( +--hash=sha256:[0-9a-f]{64})+$/, file);
  }
});
