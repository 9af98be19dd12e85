import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { foreignContract, foreignRecogniser } from "../../testing/foreign-recogniser.ts";
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
  server.answer = (response) => response.end(changed);
  await assert.rejects(
    pull(),
    /^Error: Foreign: 127\.0\.0\.1:\d+ sends another file .* is another\. Nothing was installed\.$/,
  );
  assert.deepEqual(await readdir(join(folder, "parts")), []);
  // The right SHA-256 of a wrong file.
  server.answer = (response) => response.end(foreignRecogniser({ nan: true }));
  await assert.rejects(pull({ sha256: sha256(foreignRecogniser({ nan: true })), bytes: undefined }), {
    message: "Foreign: It gives numbers that are not finite for a synthetic face. Nothing was installed.",
  });
  assert.deepEqual(await readdir(folder, { recursive: true }), ["parts"]);
});

test("an interrupted pull goes on where it ended, and then installs", async (t) => {
  const { server, pull } = await openFixture(t);
  server.answer = (response) => {
    response.setHeader("etag", '"1"').setHeader("content-length", onnx.length);
    response.write(onnx.subarray(0, 9_000));
  };
  const stop = new AbortController();
  const progress = (bytes: number) => bytes === 9_000 && stop.abort(new Error("The pull was stopped."));
  await assert.rejects(pull({}, { stop: stop.signal, progress }), {
    message:
      "Foreign: The pull was stopped. 0.0 MB are kept, and the next pull goes on from there. Nothing was installed.",
  });
  server.answer = (response, range) => {
    assert.equal(range, "bytes=9000-");
    response.writeHead(206, { "content-range": `bytes 9000-${onnx.length - 1}/${onnx.length}` });
    response.end(onnx.subarray(9_000));
  };
  assert.equal((await pull()).name, "Foreign");
});

test("a mirror folder serves a machine without a network", async (t) => {
  const { folder, server, pull } = await openFixture(t);
  await server.close();
  const from = join(folder, "mirror");
  await assert.rejects(pull(), /cannot be reached \(ECONNREFUSED\): .* Nothing was installed\.$/);
  await assert.rejects(pull({}, { from }), /mirror\/a\.onnx is not there: copy .* Nothing was installed\.$/);
  await mkdir(from);
  await writeFile(join(from, "a.onnx"), onnx);
  assert.equal((await pull({}, { from })).name, "Foreign");
  assert.deepEqual(await readdir(from), ["a.onnx"]);
});

async function openFixture(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), "published-"));
  const server = {
    answer: undefined as ((response: ServerResponse, range: string | undefined) => unknown) | undefined,
    close: async () => {},
  };
  const listener = createServer(({ headers }, response) =>
    (server.answer ?? ((sent) => sent.end(onnx)))(response, headers.range),
  );
  await once(listener.listen(0, "127.0.0.1"), "listening");
  const { port } = listener.address() as AddressInfo;
  server.close = async () => {
    listener.closeAllConnections();
    if (listener.listening) await once(listener.close(), "close");
  };
  t.after(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  const wanted = { url: `http://127.0.0.1:${port}/a.onnx`, sha256: sha256(onnx), bytes: onnx.length };
  const pull = (
    changes: { sha256?: string; bytes?: undefined } = {},
    options: { from?: string; stop?: AbortSignal; progress?: (bytes: number) => unknown } = {},
  ) =>
    pullPublished(
      folder,
      { contract: foreignContract, licenceText: "as you like", download: { ...wanted, ...changes } },
      {
        bytesMax: 1e7,
        print: () => {},
        progress: () => {},
        stop: new AbortController().signal,
        ...options,
      },
    );
  return { folder, server, pull };
}
