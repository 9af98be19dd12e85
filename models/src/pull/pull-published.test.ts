import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { foreignContract, foreignRecogniser, writeForeign } from "../../testing/foreign-recogniser.ts";
import { listen } from "../../testing/local-server.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { addedFolder, readCatalogue } from "../catalogue.ts";
import { sha256 } from "../model-file.ts";
import { pullPublished } from "./pull-published.ts";

// From a server on this machine: the hosts of real publishers are nothing that tests may need.

const onnx = Buffer.from(foreignRecogniser());

test("a published recogniser is fetched, checked and added, and no part of the download stays", async (t) => {
  const { folder, pull } = await openFixture(t);
  const model = await pull();
  assert.equal(model.name, "Foreign");
  const { models } = await readCatalogue(undefined, addedFolder(folder));
  assert.ok(models.some(({ name }) => name === "Foreign"));
  assert.deepEqual((await readdir(folder)).toSorted(), ["added", "foreign.float32.onnx", "parts"]);
  assert.deepEqual(await readdir(join(folder, "parts")), []);
});

test("a file that was tampered with, and one that breaks its contract, install nothing", async (t) => {
  const { folder, server, pull } = await openFixture(t);
  const changed = Buffer.from(onnx);
  changed[changed.length - 9]! ^= 1;
  server.sent = changed;
  await assert.rejects(
    pull(),
    /^Error: Foreign: 127\.0\.0\.1:\d+ sends another file .* is another\. Nothing was installed\.$/,
  );
  assert.deepEqual(await readdir(join(folder, "parts")), []);
  // The right SHA-256 of a wrong file.
  server.sent = foreignRecogniser({ nan: true });
  await assert.rejects(pull({ sha256: sha256(server.sent), bytes: undefined }), {
    message: "Foreign: It gives numbers that are not finite for a synthetic face. Nothing was installed.",
  });
  assert.deepEqual(await readdir(folder, { recursive: true }), ["parts"]);
});

test("a mirror folder serves a machine without a network", async (t) => {
  const { folder, close, pull } = await openFixture(t);
  await close();
  const from = join(folder, "mirror");
  await assert.rejects(pull(), /cannot be reached \(ECONNREFUSED\): .* Nothing was installed\.$/);
  await assert.rejects(pull({}, { from }), /mirror\/a\.onnx is not there: copy .* Nothing was installed\.$/);
  await mkdir(from);
  await writeFile(join(from, "a.onnx"), onnx);
  assert.equal((await pull({}, { from })).name, "Foreign");
  assert.deepEqual(await readdir(from), ["a.onnx"]);
});

test("the command pulls over https from an authority that it is given, and from no other", async (t) => {
  const folder = await temporaryFolder(t);
  const { contract } = await writeForeign(folder);
  const pem = await makeCertificate(t);
  if (pem === undefined) return;
  const server = createTlsServer(pem, (_, response) => response.end(onnx));
  const { host } = await listen(t, server);
  await writeFile(join(folder, "ca.pem"), pem.cert);
  const to = join(folder, "models");
  const address = ["--url", `https://${host}/a.onnx`, "--sha256", sha256(onnx), "--contract", contract];
  const args = [join(import.meta.dirname, "../main.ts"), "pull", ...address, "--accept-licence", "--to", to];
  const pull = (env: NodeJS.ProcessEnv) =>
    run(process.execPath, args, { env: { ...process.env, NO_PROXY: "127.0.0.1", ...env } });
  await assert.rejects(pull({}), (error: { stderr: string }) => {
    assert.match(
      error.stderr,
      /^Foreign: The certificate of 127\.0\.0\.1:\d+ is not accepted \(\w+\): NODE_EXTRA/,
    );
    assert.match(error.stderr, /Nothing was installed\.\n$/);
    return true;
  });
  assert.deepEqual((await readdir(to)).toSorted(), ["licences", "parts"]);
  const { stdout } = await pull({ NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") });
  assert.match(stdout, /\nfetching https:\/\/127\.0\.0\.1:\d+\/a\.onnx\nadded Foreign\n$/);
});

const run = promisify(execFile);

/** A certificate for loopback that nobody signed. Undefined where openssl is missing: the test is skipped. */
async function makeCertificate(t: TestContext): Promise<{ key: string; cert: string } | undefined> {
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "-"];
  try {
    const { stdout } = await run("openssl", ["req", "-x509", "-days", "2", ...key, ...subject]);
    const [cert = ""] = /-----BEGIN CERTIFICATE[^]*/.exec(stdout) ?? [];
    return { key: stdout, cert };
  } catch {
    t.skip("NOT TESTED: a pull over https, because there is no openssl on PATH");
    return undefined;
  }
}

async function openFixture(t: TestContext) {
  const folder = await temporaryFolder(t);
  const server = { sent: onnx as Uint8Array };
  const { host, close } = await listen(
    t,
    createServer((_, response) => response.end(server.sent)),
  );
  const wanted = { url: `http://${host}/a.onnx`, sha256: sha256(onnx), bytes: onnx.length };
  const foreign = { contract: foreignContract, licenceText: "as you like" };
  const pull = (
    changes: { sha256?: string; bytes?: undefined } = {},
    options: { from?: string } = {},
  ) =>
    pullPublished(
      folder,
      { ...foreign, download: { ...wanted, ...changes } },
      {
        bytesMax: 1e7,
        print: () => {},
        progress: () => {},
        stop: new AbortController().signal,
        ...options,
      },
    );
  return { folder, server, close, pull };
}
