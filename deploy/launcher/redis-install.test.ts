import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isRecent, refuseOtherBinary, serverNote } from "./redis-install.ts";

test("Redis 6.2 and later are recent enough", () => {
  assert.deepEqual(["5.0.14", "6.0.16", "6.2.6", "7.0.15", "8.0.1"].map(isRecent), [
    false,
    false,
    true,
    true,
    true,
  ]);
});

test("the start names the server, and says what to do about one without the fixes of its script engine", () => {
  assert.equal(serverNote("8.2.2"), "8.2.2");
  assert.match(serverNote("6.2.6"), /^6\.2\.6 lacks .*CVE-2025-49844.*: install .*apt install redis-server/);
  const patched = "5:7.0.15-1~deb12u10";
  assert.equal(serverNote("7.0.15", patched), `7.0.15 (package ${patched})`);
  assert.equal(serverNote("8.0.2", "5:8.0.2-3+deb13u1"), "8.0.2 (package 5:8.0.2-3+deb13u1)");
  for (const older of ["5:7.0.15-1~deb12u5", "5:7.0.15-1build2", "5:7.0.15-1"]) {
    assert.match(serverNote("7.0.15", older), /lacks fixes/, older);
  }
  // The package is installed, and the command that was found is another server.
  assert.match(serverNote("6.2.6", patched), /^6\.2\.6 lacks/);
});

test("a fetched Redis of which a byte has changed is not started, and the message says what to do", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "redis-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "redis-server");
  const pinned = createHash("sha256").update("the binary").digest("hex");
  writeFileSync(path, "the binary");
  await refuseOtherBinary(path, pinned);
  writeFileSync(path, "the binarz");
  const sentence = `Redis is not started, because ${path} is not the pinned one: remove it, and the next start fetches it again.`;
  await assert.rejects(refuseOtherBinary(path, pinned), { message: sentence });
});
