// Covers deploy/bootstrap.mjs.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
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

test("no request to this machine goes to a proxy, and no setting ends in a carriage return", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "bootstrap-"));
  const server = createServer((_request, response) => response.end("reached")).listen(0, "::1");
  t.after(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  await once(server, "listening");
  const address = `http://[::1]:${(server.address() as AddressInfo).port}`;
  const program = join(folder, "asks.ts");
  const asks = "console.log(await (await fetch(process.env.ASKED!)).text(), process.env.NO_PROXY)";
  writeFileSync(program, asks);
  const proxy = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: "http://127.0.0.1:1", NO_PROXY: "own.example" };
  const { no_proxy: _, http_proxy: __, HOST: ___, ...rest } = process.env;
  const child = execFile(process.execPath, [join(repository, "deploy", "bootstrap.mjs"), program], {
    env: { ...rest, ...proxy, ASKED: `${address}\r` },
  });
  const printed = await text(child.stdout!);
  assert.equal(printed, "reached own.example,localhost,127.0.0.1,::1,[::1]\n");
});
