import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type TestContext, test } from "node:test";
import { listen, setEnvironment } from "../../testing/local-server.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { sha256 } from "../model-file.ts";
import { requireAllowed } from "./address.ts";
import { type DownloadOptions, download, downloadLimits, type WantedFile } from "./download.ts";

// Downloads from a server on this machine.

const file = Buffer.from(Uint8Array.from({ length: 100_000 }, (_, i) => (i * 7 + (i >> 8)) % 251));

test("a file comes whole, and is only taken when it has the SHA-256", async (t) => {
  const { path, server, get, wanted } = await openFixture(t);
  const seen: number[] = [];
  await get(wanted, { progress: (bytes) => seen.push(bytes) });
  assert.deepEqual(await readFile(path), file);
  assert.equal(seen.at(-1), file.length);
  assert.deepEqual(server.requests, ["GET /model.onnx"]);
});

test("a file that was tampered with or cut off is refused, and nothing of it stays", async (t) => {
  const { server, refusal, wanted } = await openFixture(t);
  const changed = Buffer.from(file);
  changed[100]! ^= 1;
  const another = /^127\.0\.0\.1:\d+ sent a different file: its SHA-256 does not match\.$/;
  server.answer = (_, response) => response.end(changed);
  await refusal(wanted, another);
  server.answer = (_, response) => response.end(file.subarray(1));
  await refusal(wanted, another);
  server.answer = (_, response) => {
    response.setHeader("content-length", file.length).write(file.subarray(0, 40_000));
    response.destroy();
  };
  await refusal(wanted, /^The connection to 127\.0\.0\.1:\d+ was lost \(ECONNRESET\): try again\.$/);
});

test("a download that is stopped leaves nothing", async (t) => {
  const { server, refusal, wanted } = await openFixture(t);
  server.answer = (_, response) => response.writeHead(200).write(file.subarray(0, 40_000));
  const stop = new AbortController();
  await refusal(wanted, /^The pull was stopped\.$/, {
    stop: stop.signal,
    progress: () => stop.abort(new Error("The pull was stopped.")),
  });
});

test("a server that sends too much is cut off, and nothing stays", async (t) => {
  const { server, refusal, wanted } = await openFixture(t);
  server.answer = (_, response) => void pipeline(endlessZeros, response).catch(() => {});
  await refusal(wanted, /^127\.0\.0\.1:\d+ sends more than the 0\.1 MB of the file\.$/);
});

test("a server that sends nothing any more is given up", async (t) => {
  const { server, refusal, wanted } = await openFixture(t);
  const limits = { ...downloadLimits, stallMaxMs: 200 };
  server.answer = () => {};
  await refusal(wanted, /^127\.0\.0\.1:\d+ has sent nothing for 0\.2 s\.$/, { limits });
  server.answer = (_, response) => response.writeHead(200, { "content-length": file.length }).flushHeaders();
  await refusal(wanted, /^127\.0\.0\.1:\d+ has sent nothing for 0\.2 s\.$/, { limits });
});

test("without a network, the sentence names the proxy", async (t) => {
  const { close, refusal, wanted } = await openFixture(t);
  await close();
  await refusal(
    wanted,
    /^127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\): check the network and HTTPS_PROXY\.$/,
  );
});

test("redirects are followed, but not for ever, and not to where they may not lead", async (t) => {
  const { server, get, refusal, wanted } = await openFixture(t);
  const redirectTo = (location: string) => {
    server.answer = (request, response) =>
      request.url === "/there" ? serve(response) : response.writeHead(302, { location }).end();
  };
  redirectTo("/there");
  await get(wanted);
  const other = { ...wanted, sha256: "0".repeat(64) };
  redirectTo("/model.onnx");
  await refusal(other, /^127\.0\.0\.1:\d+ redirects more than 5 times\.$/);
  redirectTo("http://models.example/model.onnx");
  await refusal(other, /^127\.0\.0\.1:\d+ redirects to an address that does not begin with https:\/\/\.$/);
  for (const [status, sentence] of [
    [403, /refuses the file \(403\): it may need an account\.$/],
    [404, /does not have the file \(404\): was it moved\?$/],
    [503, /answers 503 instead of the file\.$/],
  ] as const) {
    server.answer = (_, response) => response.writeHead(status).end();
    await refusal(other, sentence);
  }
});

test("an address must be https, and what was https stays it, also towards this machine", () => {
  const [far, near] = [new URL("https://models.example/a"), new URL("http://127.0.0.1:1/a")];
  requireAllowed(far);
  requireAllowed(near);
  requireAllowed(far, near);
  assert.throws(() => requireAllowed(new URL("http://models.example/a")), /must begin with https:/);
  assert.throws(() => requireAllowed(new URL("file:///etc/passwd")), /must begin with https:/);
  assert.throws(() => requireAllowed(near, far), /^Error: models\.example redirects to an address that does/);
});

test("the proxy of the environment is used, but for the hosts of NO_PROXY", async (t) => {
  const { server, get, wanted } = await openFixture(t);
  const forwarded: string[] = [];
  const proxy = createServer((request, response) => {
    forwarded.push(request.url!);
    httpRequest(request.url!, { headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      void pipeline(answer, response);
    }).end();
  });
  const { host } = await listen(t, proxy);
  setEnvironment(t, { HTTP_PROXY: `http://${host}`, NO_PROXY: "" });
  await get(wanted);
  assert.deepEqual([forwarded, server.requests.length], [[wanted.url], 1]);
  setEnvironment(t, { NO_PROXY: "127.0.0.1" });
  await get(wanted);
  assert.deepEqual([forwarded.length, server.requests.length], [1, 2]);
});

const serve = (response: ServerResponse): unknown => response.end(file);

async function* endlessZeros(): AsyncGenerator<Buffer> {
  for (;;) yield Buffer.alloc(1 << 14);
}

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

async function openFixture(t: TestContext) {
  const folder = await temporaryFolder(t);
  const server = { requests: [] as string[], answer: undefined as Answer | undefined };
  const listener = createServer((request, response) => {
    server.requests.push(`${request.method} ${request.url}`);
    if (server.answer === undefined) serve(response);
    else server.answer(request, response);
  });
  const { host, close } = await listen(t, listener);
  setEnvironment(t, { HTTP_PROXY: undefined, http_proxy: undefined });
  const wanted: WantedFile = {
    url: `http://${host}/model.onnx`,
    sha256: sha256(file),
    bytes: file.length,
  };
  const path = join(folder, "model.onnx");
  const get = (which: WantedFile, options: Partial<DownloadOptions> = {}) =>
    download(which, { path, progress: () => {}, stop: new AbortController().signal, ...options });
  const refusal = async (
    which: WantedFile,
    message: RegExp,
    options?: Partial<DownloadOptions>,
  ): Promise<void> => {
    await assert.rejects(get(which, options), { message });
    assert.deepEqual(await readdir(folder), []);
  };
  return { path, server, close, wanted, get, refusal };
}
