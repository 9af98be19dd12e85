// Covers index-wheel.ts too.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { listen, setEnvironment } from "../../testing/local-server.ts";
import { madeUpWheel } from "../../testing/made-up-wheel.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { fetchWheel } from "./pip-wheel.ts";

// Fetches of a made-up wheel from an index on this machine, by the real pip and without one.
const hasPip = spawnSync("python3", ["-m", "pip", "--version"]).status === 0;
const skip = !hasPip && "NOT TESTED: python3 has no pip here (apt-get install python3-pip, on Debian)";
const { bytes, pin } = madeUpWheel("made-up-library");

test("pip fetches a wheel from the index that it is set to", { skip }, async (t) => {
  const { folder } = await openIndex(t);
  assert.deepEqual(await readFile(await fetchInto(folder, pin)), bytes);
});

test("an index that has another file, or none, is a sentence", { skip }, async (t) => {
  const { folder } = await openIndex(t);
  await assert.rejects(fetchInto(folder, { ...pin, sha256: "0".repeat(64) }), {
    message: "The package index has a different made-up-library 1.0.0 than the one whose SHA-256 is pinned.",
  });
  await assert.rejects(fetchInto(folder, { ...pin, version: "2.0.0", file: pin.file.replace("1", "2") }), {
    message: /^pip's index has no made-up-library 2\.0\.0 for this platform; "python3 -m pip config list"/,
  });
});

test("an index that cannot be reached is a sentence", { skip }, async (t) => {
  const { folder, close } = await openIndex(t);
  await close();
  await assert.rejects(fetchInto(folder, pin), {
    message: /^pip cannot reach the package index: check the network, .*; or do without\.$/,
  });
});

test("without pip a wheel comes from the same index, with its credentials", async (t) => {
  const { folder, index, authorizations } = await openIndex(t);
  setEnvironment(t, { PATH: "/nowhere", PIP_INDEX_URL: index.replace("http://", "http://me:secret@") });
  assert.deepEqual(await readFile(await fetchInto(folder, pin)), bytes);
  const basic = `Basic ${Buffer.from("me:secret").toString("base64")}`;
  assert.deepEqual(authorizations, [basic, basic]);
  const file = join(folder, "pip.conf");
  await writeFile(file, `[global]\ntimeout = 60\nindex-url = ${index}\n`);
  setEnvironment(t, { PIP_INDEX_URL: undefined, PIP_CONFIG_FILE: file });
  assert.deepEqual(await readFile(await fetchInto(folder, pin)), bytes);
});

test("without pip another file, none, or no network is a sentence too", async (t) => {
  const { folder, close } = await openIndex(t);
  setEnvironment(t, { PATH: "/nowhere" });
  await assert.rejects(fetchInto(folder, { ...pin, sha256: "0".repeat(64) }), {
    message: /^127\.0\.0\.1:\d+ sent a different file: its SHA-256 does not match\.$/,
  });
  await assert.rejects(fetchInto(folder, { ...pin, file: "made_up_library-2.0.0-py3-none-any.whl" }), {
    message:
      /^127\.0\.0\.1:\d+ has no made_up_library-2\.0\.0-py3-none-any\.whl: PIP_INDEX_URL names another index\.$/,
  });
  await close();
  await assert.rejects(fetchInto(folder, pin), {
    message: /^127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\): check the network and HTTPS_PROXY\.$/,
  });
});

const fetchInto = (folder: string, wheel: typeof pin) =>
  fetchWheel(folder, wheel, {
    progress: () => {},
    stop: new AbortController().signal,
    alternative: "or do without",
  });

/** An index with the wheel, to which pip is set, and an empty folder. */
async function openIndex(t: TestContext) {
  const folder = await temporaryFolder(t);
  const authorizations: (string | undefined)[] = [];
  const server = createServer(({ url = "", headers }, response) => {
    authorizations.push(headers.authorization);
    if (url.endsWith(".whl")) return void response.end(bytes);
    if (url !== "/simple/made-up-library/") return void response.writeHead(404).end();
    response.setHeader("content-type", "text/html");
    response.end(`<a href="../../files/${pin.file}#sha256=${pin.sha256}">${pin.file}</a>`);
  });
  const { host, close } = await listen(t, server);
  const index = `http://${host}/simple/`;
  const noProxy = { HTTP_PROXY: undefined, http_proxy: undefined };
  setEnvironment(t, { ...noProxy, PIP_INDEX_URL: index, PIP_CONFIG_FILE: "/dev/null" });
  return { folder, index, authorizations, close };
}
