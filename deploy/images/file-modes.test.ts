import assert from "node:assert/strict";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { makeReadable } from "./file-modes.ts";

test("files of a clone that only its owner may read can be read by the user of an image", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "faceline-modes-"));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "src"), { mode: 0o700 });
  writeFileSync(join(folder, "src", "main.ts"), "", { mode: 0o600 });
  writeFileSync(join(folder, "run"), "", { mode: 0o700 });
  writeFileSync(join(folder, "shared"), "");
  chmodSync(join(folder, "shared"), 0o664);
  symlinkSync("gone", join(folder, "link"));
  makeReadable(folder);
  const modes = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path !== "link")
    .map((path) => [path, (statSync(join(folder, path)).mode & 0o777).toString(8)]);
  assert.deepEqual(Object.fromEntries(modes), {
    src: "755",
    "src/main.ts": "644",
    run: "755",
    shared: "644",
  });
});
