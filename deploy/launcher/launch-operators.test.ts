import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { launchOperators } from "./launch-operators.ts";

const secrets = mkdtempSync(join(tmpdir(), "secrets-"));
after(() => rmSync(secrets, { recursive: true }));

const open = (first: number | undefined, env: NodeJS.ProcessEnv = {}) =>
  launchOperators(
    { ingress: 1, batchers: 1, workers: 2, OPERATORS_HOST: "127.0.0.1", OPERATORS_PORT: first },
    env,
    secrets,
  );

test("without OPERATORS_PORT every process has a free port, and all of them a new token that others cannot read", async () => {
  const { ports, addresses, tokenFile } = await open(undefined);
  assert.deepEqual(Object.keys(ports), ["ingress-1", "batcher-1", "inference-1", "inference-2"]);
  assert.equal(addresses["batcher-1"], `http://127.0.0.1:${ports["batcher-1"]}`);
  assert.equal(statSync(tokenFile!).mode & 0o777, 0o600);
  const token = readFileSync(tokenFile!, "utf8");
  assert.match(token, /^[\w-]{43}$/);
  assert.notEqual(readFileSync((await open(undefined)).tokenFile!, "utf8"), token);
});

test("ports and token of the operator are kept, and ports without a token stay without", async () => {
  const { ports, tokenFile } = await open(9464);
  assert.deepEqual([ports["batcher-1"], tokenFile], [9480, undefined]);
  const given = await open(undefined, { OPERATORS_TOKEN: "0123456789abcdef" });
  assert.equal(readFileSync(given.tokenFile!, "utf8"), "0123456789abcdef");
  assert.equal((await open(9464, { OPERATORS_TOKEN_FILE: "/a/token" })).tokenFile, "/a/token");
});
