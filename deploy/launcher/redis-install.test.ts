import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findRedis, isRecent, refuseOtherBinary } from "./redis-install.ts";

test("Redis 6.2 and later are recent enough", () => {
  assert.deepEqual(["5.0.14", "6.0.16", "6.2.6", "7.0.15", "8.0.1"].map(isRecent), [
    false,
    false,
    true,
    true,
    true,
  ]);
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
    const { command, note } = await findRedis(folder, new AbortController().signal);
    return [command, note];
  };
  install("redis-server", "Valkey server v=8.0.5");
  assert.deepEqual(await found(), ["redis-server", "Valkey 8.0.5 present"]);
  install("valkey-server", "Valkey server v=9.1.2");
  assert.deepEqual(await found(), ["valkey-server", "Valkey 9.1.2 present"]);
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
