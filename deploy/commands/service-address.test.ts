import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { serviceAddressFile } from "../launcher/state-folder.ts";
import { readServiceAddress } from "./service-address.ts";

test("the address is that of the last start, unless the command's own settings name another one", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "faceline-address-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const read = (env: NodeJS.ProcessEnv) => readServiceAddress({ FACELINE_STATE: folder, ...env });
  const known = (address: string) => ({ address, known: true });
  const assumed = { address: "http://127.0.0.1:8080", known: false };
  assert.deepEqual(read({}), assumed);

  writeFileSync(serviceAddressFile(folder), "http://127.0.0.1:8092\n");
  assert.deepEqual(read({ REDIS_DURABLE_PORT: "6392" }), known("http://127.0.0.1:8092"));
  assert.deepEqual(read({ PORT: "8093" }), known("http://127.0.0.1:8093"));
  assert.deepEqual(
    read({ PORT: "8093", PUBLIC_URL: "https://faces.example" }),
    known("https://faces.example"),
  );
  // The people of another Redis may belong to another service.
  assert.deepEqual(read({ REDIS_DURABLE_URL: "redis://other.example" }), assumed);

  writeFileSync(serviceAddressFile(folder), "not an address");
  assert.deepEqual(read({}), assumed);
});
