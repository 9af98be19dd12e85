import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { madeUpWheel } from "../../testing/made-up-wheel.ts";
import type { Wheel } from "./cuda-pins.ts";
import { fetchWheel, wheelLimits } from "./pip-wheel.ts";

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
    message: /^pip cannot reach the package index: check the network, .*; --from FOLDER takes wheels/,
  });
});

test("an index that sends nothing any more, or too much, is cut off", { skip }, async (t) => {
  const { folder } = await openIndex(t, (response) => void response.write(bytes.subarray(0, 50)));
  await assert.rejects(fetchInto(folder, pin, { ...wheelLimits, stallMaxMs: 1_500 }), {
    message: "The package index has sent nothing for 1.5 s.",
  });
  await assert.rejects(fetchInto(folder, pin, { ...wheelLimits, slackBytes: -2 * bytes.length }), {
    message: `The package index sends more than the 0.0 MB of the wheel ${pin.file}.`,
  });
});

test("a stopped fetch ends pip", { skip }, async (t) => {
  const { folder, requested } = await openIndex(t, (response) => void response.write(bytes.subarray(0, 50)));
  const stop = new AbortController();
  const fetching = fetchInto(folder, pin, wheelLimits, stop.signal);
  await requested;
  stop.abort(new Error("The pull was stopped."));
  await assert.rejects(fetching, { message: "The pull was stopped." });
});

test("without python3 there is a sentence that says what to do", async (t) => {
  const { folder } = await openIndex(t);
  setEnvironment(t, "PATH", "/nowhere");
  await assert.rejects(fetchInto(folder, pin), {
    message:
      "There is no python3 on the PATH, whose pip fetches the wheels; " +
      "--from FOLDER takes wheels that were fetched on another machine.",
  });
});

const fetchInto = (folder: string, wheel: Wheel, limits = wheelLimits, stop = new AbortController().signal) =>
  fetchWheel(folder, wheel, { progress: () => {}, stop, limits });

/** An index with the wheel, to which pip is set, and an empty folder. */
async function openIndex(
  t: TestContext,
  answer: (response: ServerResponse) => void = (response) => void response.end(bytes),
): Promise<{ folder: string; close: () => Promise<void>; requested: Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "wheel-"));
  const requested = Promise.withResolvers<void>();
  const server = createServer(({ url = "" }, response) => {
    if (url.endsWith(".whl")) {
      response.setHeader("content-length", bytes.length);
      requested.resolve();
      return answer(response);
    }
    if (url !== "/simple/made-up-library/") return void response.writeHead(404).end();
    response.setHeader("content-type", "text/html");
    response.end(`<a href="/files/${pin.file}">${pin.file}</a>`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  t.after(async () => {
    await close();
    await rm(folder, { recursive: true, maxRetries: 5 });
  });
  setEnvironment(t, "PIP_INDEX_URL", `http://127.0.0.1:${(server.address() as AddressInfo).port}/simple/`);
  setEnvironment(t, "PIP_CONFIG_FILE", "/dev/null");
  return { folder, close, requested: requested.promise };
}

function setEnvironment(t: TestContext, name: string, value: string): void {
  const before = process.env[name];
  process.env[name] = value;
  t.after(() => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  });
}
