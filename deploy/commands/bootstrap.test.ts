// Covers deploy/bootstrap.mjs.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { repository } from "../launcher/state-folder.ts";

test("a Node that npm leaves out, as it does when the hash is wrong, is named in a sentence and tried again", (t) => {
  const root = mkdtempSync(join(tmpdir(), "bootstrap-"));
  t.after(() => rmSync(root, { recursive: true }));
  for (const folder of ["deploy", "bin", "node_modules"]) mkdirSync(join(root, folder));
  for (const file of ["deploy/bootstrap.mjs", "package.json", "package-lock.json"]) {
    copyFileSync(join(repository, file), join(root, file));
  }
  const { platform, arch } = process;
  const optionalDependencies = { [`node-${platform}-${arch}`]: "24.21.0" };
  writeFileSync(join(root, "package.json"), JSON.stringify({ optionalDependencies }));
  // npm ends with exit code 0 when the content of an optional package is not the pinned one.
  writeFileSync(join(root, "bin", "npm"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });

  const env = { ...process.env, PATH: `${join(root, "bin")}${delimiter}${process.env["PATH"]}` };
  const args = [join(root, "deploy", "bootstrap.mjs"), "anything.ts"];
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
  assert.equal(status, 1);
  assert.match(stderr, /^Node 24 was not installed: .* its hash differs from package-lock\.json\. Run /);
  assert.ok(!existsSync(join(root, "node_modules", ".faceline-lock")), "the next start installs again");
});
