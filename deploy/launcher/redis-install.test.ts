import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findRedis, isRecent, refuseOtherBinary, serverNote } from "./redis-install.ts";

test("Redis 6.2 and later are recent enough", () => {
  assert.deepEqual(["5.0.14", "6.0.16", "6.2.6", "7.0.15", "8.0.1"].map(isRecent), [
    false,
    false,
    true,
    true,
    true,
  ]);
});

test("the start names the server, and warns of one without the fixes of its script engine", () => {
  const note = (version: string, packaged?: string, name: "Redis" | "Valkey" = "Redis") =>
    serverNote({ name, version }, packaged);
  assert.deepEqual(note("8.2.2"), { note: "Redis 8.2.2", warns: false });
  assert.deepEqual(note("9.1.2", "", "Valkey"), { note: "Valkey 9.1.2", warns: false });
  const patched = "5:7.0.15-1~deb12u10";
  assert.deepEqual(note("7.0.15", patched), { note: `Redis 7.0.15 (package ${patched})`, warns: false });
  assert.equal(note("8.0.2", "5:8.0.2-3+deb13u1").warns, false);
  for (const older of ["5:7.0.15-1~deb12u5", "5:7.0.15-1build2", "5:7.0.15-1"]) {
    assert.equal(note("7.0.15", older).warns, true, older);
  }
  // The package is installed, and the command that was found is another server.
  const other = note("6.2.6", patched);
  assert.equal(other.warns, true);
  assert.match(
    other.note,
    /^Redis 6\.2\.6 lacks .*CVE-2025-49844.*: install 6\.2\.20.* take it off the PATH/,
  );
});

test("a Valkey on the PATH is found under either name, and a server with the fixes comes first", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "servers-"));
  const before = process.env["PATH"];
  t.after(() => {
    process.env["PATH"] = before;
    rmSync(folder, { recursive: true });
  });
  process.env["PATH"] = folder;
  const install = (name: string, printed: string) =>
    writeFileSync(join(folder, name), `#!/bin/sh\necho '${printed} sha=0:0'\n`, { mode: 0o755 });
  const found = async () => {
    const { command, note, warns } = await findRedis(folder, new AbortController().signal);
    return [command, note.slice(0, 23), warns];
  };
  install("redis-server", "Valkey server v=8.0.5");
  assert.deepEqual(await found(), ["redis-server", "from PATH, Valkey 8.0.5", true]);
  install("valkey-server", "Valkey server v=9.1.2");
  assert.deepEqual(await found(), ["valkey-server", "from PATH, Valkey 9.1.2", false]);
});

test("a fetched Valkey of which a byte has changed is not started, and the message says what to do", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "redis-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "redis-server");
  const pinned = createHash("sha256").update("the binary").digest("hex");
  writeFileSync(path, "the binary");
  await refuseOtherBinary(path, pinned);
  writeFileSync(path, "the binarz");
  const sentence = `Valkey is not started, because ${path} is not the pinned one: remove it, and the next start fetches it again.`;
  await assert.rejects(refuseOtherBinary(path, pinned), { message: sentence });
});
