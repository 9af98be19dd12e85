import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { listen, setEnvironment } from "../../testing/local-server.ts";
import { madeUpWheel } from "../../testing/made-up-wheel.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { fetchWheel } from "./pip-wheel.ts";
import type { Wheel } from "./wheel.ts";

// Fetches of a made-up wheel from an index on this machine, by the real pip.
const hasPip = spawnSync("python3", ["-m", "pip", "--version"]).status === 0;
const skip = !hasPip && "NOT TESTED: python3 has no pip here (apt-get install python3-pip, on Debian)";
const { bytes, pin } = madeUpWheel("made-up-library");

test("pip fetches a wheel from the index that it is set to", { skip }, async (t) => {
  const { folder } = await openIndex(t);
  const path = await fetchInto(folder, pin);
  assert.deepEqual(await readFile(path), bytes);
  assert.deepEqual((await readdir(folder)).toSorted(), [pin.file, "requirements.txt"]);
});

test("an index that has another file, or none, is a sentence", { skip }, async (t) => {
  const { folder } = await openIndex(t);
  await assert.rejects(fetchInto(folder, { ...pin, sha256: "0".repeat(64) }), {
    message: "The package index has another made-up-library 1.0.0 than the one whose SHA-256 is pinned.",
  });
  await assert.rejects(fetchInto(folder, { ...pin, version: "2.0.0" }), {
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

const fetchInto = (folder: string, wheel: Wheel) =>
  fetchWheel(folder, wheel, {
    progress: () => {},
    stop: new AbortController().signal,
    alternative: "or do without",
  });

/** An index with the wheel, to which pip is set, and an empty folder. */
async function openIndex(t: TestContext): Promise<{ folder: string; close: () => Promise<void> }> {
  const folder = await temporaryFolder(t);
  const server = createServer(({ url = "" }, response) => {
    if (url.endsWith(".whl")) return void response.end(bytes);
    if (url !== "/simple/made-up-library/") return void response.writeHead(404).end();
    response.setHeader("content-type", "text/html");
    response.end(`<a href="/files/${pin.file}">${pin.file}</a>`);
  });
  const { host, close } = await listen(t, server);
  setEnvironment(t, { PIP_INDEX_URL: `http://${host}/simple/`, PIP_CONFIG_FILE: "/dev/null" });
  return { folder, close };
}
