import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { listen, serveFile, setEnvironment } from "../../testing/local-server.ts";
import { madeUpWheel } from "../../testing/made-up-wheel.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { fetchWheel } from "./pip-wheel.ts";

// Fetches of a made-up wheel from an index on this machine, on a PATH that has no Python.
const { bytes, pin } = madeUpWheel("made-up-library");

test("without pip a wheel comes from the index of PIP_INDEX_URL, with its credentials", async (t) => {
  const { folder, index, authorizations } = await openIndex(t);
  setEnvironment(t, { PIP_INDEX_URL: index.replace("http://", "http://me:secret@") });
  assert.deepEqual(await readFile(await fetchInto(folder)), bytes);
  const basic = `Basic ${Buffer.from("me:secret").toString("base64")}`;
  assert.deepEqual(authorizations, [basic, basic]);
});

test("or from that of pip's settings", async (t) => {
  const { folder, index } = await openIndex(t);
  const file = join(folder, "pip.conf");
  await writeFile(file, `[global]\ntimeout = 60\nindex-url = ${index}\n`);
  setEnvironment(t, { PIP_INDEX_URL: undefined, PIP_CONFIG_FILE: file });
  assert.deepEqual(await readFile(await fetchInto(folder)), bytes);
});

test("another file, or none, is a sentence", async (t) => {
  const { folder } = await openIndex(t);
  await assert.rejects(fetchInto(folder, { ...pin, sha256: "0".repeat(64) }), {
    message: /^127\.0\.0\.1:\d+ sends another file than the one that is wanted: its SHA-256 is another\.$/,
  });
  await assert.rejects(fetchInto(folder, { ...pin, file: "made_up_library-2.0.0-py3-none-any.whl" }), {
    message: /^127\.0\.0\.1:\d+ has no made_up_library-2\.0\.0-py3-none-any\.whl; or do without\.$/,
  });
});

test("an index that cannot be reached is a sentence that says how to do without", async (t) => {
  const { folder, close } = await openIndex(t);
  await close();
  await assert.rejects(fetchInto(folder), {
    message:
      /^127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\): check the network and HTTPS_PROXY; or do without\.$/,
  });
});

test("a download that was cut off goes on at the next try, in another folder too", async (t) => {
  const { folder, server } = await openIndex(t);
  let cut = (): unknown => undefined;
  server.cut = (response) => {
    response.setHeader("etag", '"1"').setHeader("content-length", bytes.length);
    response.write(bytes.subarray(0, 100));
    cut = () => response.destroy();
  };
  const onceWritten = (received: number) => received === 100 && cut();
  await assert.rejects(fetchInto(folder, pin, onceWritten), {
    message: /^The connection to \S+ was lost.* 0\.0 MB are kept, and the next try resumes from there\.$/,
  });
  server.cut = undefined;
  const other = join(folder, "..", "again");
  await mkdir(other);
  assert.deepEqual(await readFile(await fetchInto(other)), bytes);
  assert.equal(server.ranges.at(-1), "bytes=100-");
});

const fetchInto = (folder: string, wheel = pin, progress: (bytes: number) => unknown = () => {}) =>
  fetchWheel(folder, wheel, {
    progress,
    stop: new AbortController().signal,
    alternative: "or do without",
  });

async function openIndex(t: TestContext) {
  const folder = join(await temporaryFolder(t), "wheel");
  await mkdir(folder);
  const authorizations: (string | undefined)[] = [];
  const server = {
    ranges: [] as (string | undefined)[],
    cut: undefined as ((response: ServerResponse) => void) | undefined,
  };
  const listener = createServer((request, response) => {
    const { url = "", headers } = request;
    authorizations.push(headers.authorization);
    if (url === "/simple/made-up-library/") {
      return void response.end(`<a href="../../files/${pin.file}#sha256=${pin.sha256}">${pin.file}</a>`);
    }
    server.ranges.push(headers.range);
    if (server.cut !== undefined) return server.cut(response);
    serveFile(bytes, { request, response });
  });
  const { host, close } = await listen(t, listener);
  const index = `http://${host}/simple/`;
  setEnvironment(t, { PATH: "/nowhere", PIP_INDEX_URL: index, HTTP_PROXY: undefined, http_proxy: undefined });
  return { folder, index, authorizations, server, close };
}
