import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { replay } from "./replay.ts";

const stateFolder = mkdtempSync(join(tmpdir(), "plan-"));
after(() => rmSync(stateFolder, { recursive: true }));
const keyFile = join(stateFolder, "keys");
writeFileSync(keyFile, "key-a\nkey-b\n\n");
const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => response.end("{}"));
}).listen(0, "127.0.0.1");
await once(server, "listening");
after(() => server.closeAllConnections());
after(() => server.close());
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const traffic = ["--rate", "40", "--seconds", "1", "--image-bytes", "9000", "--image-pixels", "20000"];

test("a replay says how its calls ended, and all of its numbers are in the JSON", async () => {
  const json = join(stateFolder, "replay.json");
  const { code, text } = await plan("--url", url, "--key-file", keyFile, ...traffic, "--json", json);
  assert.equal(code, 0);
  assert.match(text, /5 tenants of the trace share 2 keys: each key is one team/);
  const { measured } = JSON.parse(readFileSync(json, "utf8"));
  assert.equal(measured.outcomes.answered, measured.calls);
  assert.match(text, new RegExp(`Requests: ${measured.calls} answered\\.`));
});

for (const [name, args, message] of [
  ["without an address", ["--key-file", keyFile], /replay needs both --url URL/],
  ["beside no running service", [], /No Faceline was started from .* npm start/],
  ["with an empty file of keys", ["--url", url, "--key-file", "/dev/null"], /\/dev\/null is empty/],
] as const) {
  test(`a replay ${name} is refused before anything is sent`, async () => {
    await assert.rejects(plan(...traffic, ...args), { message });
  });
}

async function plan(...args: string[]): Promise<{ code: number; text: string }> {
  const lines: string[] = [];
  const code = await replay(args, { stateFolder, print: (line) => lines.push(line), progress: () => {} });
  return { code, text: lines.join("\n") };
}
