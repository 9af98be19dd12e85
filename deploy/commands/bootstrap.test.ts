// Covers deploy/bootstrap.mjs.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { repository } from "../launcher/state-folder.ts";

test("a Node that npm leaves out, as it does when the hash is wrong, is named in a sentence and tried again", (t) => {
  // npm ends with exit code 0 when the content of an optional package is not the pinned one.
  const { root, run } = openClone(t, "exit 0");
  const { status, stderr } = run("anything.ts");
  assert.equal(status, 1);
  assert.match(stderr, /^Node 24 was not installed: .* its hash differs from package-lock\.json\. Run /);
  assert.ok(!existsSync(join(root, "node_modules", ".faceline-lock")), "the next start installs again");
});

test("a start installs what services need, a tool adds the rest, and neither installs again", (t) => {
  const { root, run } = openClone(
    t,
    `echo "$@" >> installs; mkdir -p node_modules/${nodePackage}/bin; ` +
      `printf '#!/bin/sh\necho ran "$1"' > node_modules/${nodePackage}/bin/node; ` +
      `chmod +x node_modules/${nodePackage}/bin/node`,
  );
  const installs = () => readFileSync(join(root, "installs"), "utf8").trim().split("\n");
  for (const file of [
    "deploy/start.ts",
    "deploy/start.ts",
    "tools/commands/test.ts",
    "tools/commands/test.ts",
    "deploy/start.ts",
  ])
    assert.match(run(file).stdout, new RegExp(`ran ${join(root, file)}\n$`));
  assert.deepEqual(installs(), ["ci --omit=dev --loglevel=error", "install --no-save --loglevel=error"]);
  appendFileSync(join(root, "package-lock.json"), "\n");
  run("tools/commands/test.ts");
  assert.equal(installs()[2], "ci --loglevel=error");
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

const nodePackage = `node-${process.platform}-${process.arch}`;

/** A clone of this repository's bootstrap alone, with an npm that runs `script`. */
function openClone(t: TestContext, script: string) {
  const root = mkdtempSync(join(tmpdir(), "bootstrap-"));
  t.after(() => rmSync(root, { recursive: true }));
  for (const folder of ["deploy", "bin", "node_modules"]) mkdirSync(join(root, folder));
  for (const file of ["deploy/bootstrap.mjs", "package-lock.json"]) {
    copyFileSync(join(repository, file), join(root, file));
  }
  const optionalDependencies = { [nodePackage]: "24.21.0" };
  writeFileSync(join(root, "package.json"), JSON.stringify({ optionalDependencies }));
  writeFileSync(join(root, "bin", "npm"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: `${join(root, "bin")}${delimiter}${process.env["PATH"]}` };
  const run = (file: string) =>
    spawnSync(process.execPath, [join(root, "deploy", "bootstrap.mjs"), file], { env, encoding: "utf8" });
  return { root, run };
}
