import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type TestContext, test } from "node:test";
import { listen, serveFile, setEnvironment } from "../../testing/local-server.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { sha256 } from "../model-file.ts";
import { requireAllowed } from "./address.ts";
import { type DownloadOptions, download, downloadLimits, type WantedFile } from "./download.ts";
import { readFromMirror } from "./mirror.ts";

// Downloads from a server on this machine. It answers as file servers do: ETag, Range, If-Range.

const file = Buffer.from(Uint8Array.from({ length: 100_000 }, (_, i) => (i * 7 + (i >> 8)) % 251));

test("a file comes whole, and is only taken when it has the SHA-256", async (t) => {
  const { server, get, wanted } = await openFixture(t);
  const seen: number[] = [];
  const part = await get(wanted, { progress: (bytes) => seen.push(bytes) });
  assert.deepEqual(await readFile(part.path), file);
  assert.equal(seen.at(-1), file.length);
  assert.deepEqual(server.requests, ["GET /model.onnx"]);
});

test("a file that was tampered with is refused, and nothing of it stays", async (t) => {
  const { server, refusal, wanted } = await openFixture(t);
  server.answer = (_, response) => {
    const changed = Buffer.from(file);
    changed[100]! ^= 1;
    response.setHeader("etag", '"1"').setHeader("content-length", changed.length).end(changed);
  };
  await refusal(wanted, /^127\.0\.0\.1:\d+ sends another file than the one that is wanted: its SHA-256/, []);
});

test("a download that was cut off goes on where it ended", async (t) => {
  const { folder, server, get, refusal, wanted } = await openFixture(t);
  await refusal(
    wanted,
    /^The connection to 127\.0\.0\.1:\d+ was lost.* 0\.0 MB are kept, and the next try resumes from there\.$/,
    [`${wanted.sha256}.part`, `${wanted.sha256}.part.json`],
    cutOff(server),
  );
  const kept = (await readFile(join(folder, `${wanted.sha256}.part`))).length;
  assert.equal(kept, 40_000);
  server.answer = undefined;
  assert.deepEqual(await readFile((await get(wanted)).path), file);
  assert.equal(server.requests.at(-1), 'GET /model.onnx bytes=40000- if "1"');
});

test("a file that has changed meanwhile, or a server without ranges, starts again", async (t) => {
  for (const answer of [
    // Another ETag: the server answers the whole file.
    (request: IncomingMessage, response: ServerResponse) => serve(request, response, '"2"'),
    (_: IncomingMessage, response: ServerResponse) => response.end(file),
    (request: IncomingMessage, response: ServerResponse) =>
      request.headers.range === undefined ? response.end(file) : response.writeHead(416).end(),
    (request: IncomingMessage, response: ServerResponse) =>
      request.headers.range === undefined
        ? response.end(file)
        : response.writeHead(206, { "content-range": "bytes 5-9/10" }).end("other"),
  ]) {
    const { server, get, wanted } = await openFixture(t);
    await assert.rejects(get(wanted, cutOff(server)));
    server.answer = answer;
    assert.deepEqual(await readFile((await get(wanted)).path), file);
  }
});

test("without a strong ETag or a date nothing can be continued, so nothing is said to be kept", async (t) => {
  const { server, get, wanted } = await openFixture(t);
  await assert.rejects(
    get(wanted, cutOff(server, 'W/"1"')),
    /^Error: The connection to [^ ]+ was lost( \(ECONNRESET\))?\.$/,
  );
  server.answer = undefined;
  await get(wanted);
  assert.equal(server.requests.at(-1), "GET /model.onnx");
});

test("a download that was stopped keeps what has come", async (t) => {
  const { server, get, wanted } = await openFixture(t);
  server.answer = (_, response) => {
    response.writeHead(200, { etag: '"1"', "content-length": file.length });
    response.write(file.subarray(0, 40_000));
  };
  const stop = new AbortController();
  const stopped = get(wanted, {
    stop: stop.signal,
    progress: (bytes) => bytes === 40_000 && stop.abort(new Error("The pull was stopped.")),
  });
  await assert.rejects(stopped, /^Error: The pull was stopped\. 0\.0 MB are kept, and the next try/);
});

test("a file of another size, or one that is too large, is refused before it comes", async (t) => {
  const { refusal, wanted } = await openFixture(t);
  await refusal(
    { ...wanted, bytes: 99_999 },
    /^127\.0\.0\.1:\d+ has a file of 100000 bytes, and the one that is wanted has 99999\.$/,
    [],
  );
  const { bytes: _, ...unstated } = wanted;
  await refusal(
    unstated,
    /^The file of 127\.0\.0\.1:\d+ has 0\.1 MB, more than 0\.0 MB: --max-megabytes allows more\.$/,
    [],
    { bytesMax: 40_000 },
  );
});

test("a server that does not say the size and sends too much is cut off, and nothing stays", async (t) => {
  const { server, refusal, wanted } = await openFixture(t);
  server.answer = (_, response) => void pipeline(endlessZeros, response).catch(() => {});
  const sentence = /^127\.0\.0\.1:\d+ sends more than the 0\.1 MB that the file may have\.$/;
  await refusal(wanted, sentence, []);
});

test("a server that sends nothing any more is given up", async (t) => {
  const { server, refusal, wanted } = await openFixture(t);
  const limits = { ...downloadLimits, stallMaxMs: 200 };
  server.answer = () => {};
  await refusal(wanted, /^127\.0\.0\.1:\d+ has sent nothing for 0\.2 s\.$/, [], { limits });
  server.answer = (_, response) => response.writeHead(200, { "content-length": file.length }).flushHeaders();
  await refusal(wanted, /^127\.0\.0\.1:\d+ has sent nothing for 0\.2 s\.$/, undefined, { limits });
});

test("without a network, the sentence names the proxy", async (t) => {
  const { close, refusal, wanted } = await openFixture(t);
  await close();
  await refusal(
    wanted,
    /^127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\): check the network and HTTPS_PROXY\.$/,
    [],
  );
});

test("redirects are followed, but not for ever, and not to where they may not lead", async (t) => {
  const { server, get, refusal, wanted } = await openFixture(t);
  const redirectTo = (location: string) => {
    server.answer = (request, response) =>
      request.url === "/there" ? serve(request, response) : response.writeHead(302, { location }).end();
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
  await (await get(wanted)).remove();
  assert.deepEqual([forwarded, server.requests.length], [[wanted.url], 1]);
  setEnvironment(t, { NO_PROXY: "127.0.0.1" });
  await get(wanted);
  assert.deepEqual([forwarded.length, server.requests.length], [1, 2]);
});

test("a mirror folder has the file by its name, and it must be the same one", async (t) => {
  const { folder, server, wanted } = await openFixture(t);
  const read = (bytesMax = 1e6) => readFromMirror(folder, wanted, bytesMax);
  await assert.rejects(
    read(),
    /model\.onnx is not there: copy the file of http:\/\/127\.0\.0\.1:\d+\/model\.onnx to it\.$/,
  );
  await writeFile(join(folder, "model.onnx"), file);
  assert.deepEqual(await read(), file);
  await assert.rejects(
    read(1_000),
    /model\.onnx has 0\.1 MB, more than 0\.0 MB: --max-megabytes allows more\.$/,
  );
  await writeFile(join(folder, "model.onnx"), "another");
  await assert.rejects(
    read(),
    /model\.onnx is another file than the one that is wanted: its SHA-256 is another\.$/,
  );
  assert.deepEqual(server.requests, []);
});

const serve = (request: IncomingMessage, response: ServerResponse, etag?: string): void =>
  serveFile(file, { request, response, etag });

/** The connection is lost once 40,000 bytes were written to the part. */
function cutOff(server: { answer: Answer | undefined }, etag = '"1"'): Partial<DownloadOptions> {
  let cut = (): unknown => undefined;
  server.answer = (_, response) => {
    response.setHeader("etag", etag).setHeader("content-length", file.length);
    response.write(file.subarray(0, 40_000));
    cut = () => response.destroy();
  };
  return { progress: (bytes) => bytes === 40_000 && cut() };
}

async function* endlessZeros(): AsyncGenerator<Buffer> {
  for (;;) yield Buffer.alloc(1 << 14);
}

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

async function openFixture(t: TestContext) {
  const folder = await temporaryFolder(t);
  const server = { requests: [] as string[], answer: undefined as Answer | undefined };
  const listener = createServer((request, response) => {
    const { range, "if-range": condition } = request.headers;
    const wanted = range === undefined ? "" : ` ${range} if ${String(condition)}`;
    server.requests.push(`${request.method} ${request.url}${wanted}`);
    (server.answer ?? serve)(request, response);
  });
  const { host, close } = await listen(t, listener);
  setEnvironment(t, { HTTP_PROXY: undefined, http_proxy: undefined });
  const wanted: WantedFile = {
    url: `http://${host}/model.onnx`,
    sha256: sha256(file),
    bytes: file.length,
  };
  const get = (which: WantedFile, options: Partial<DownloadOptions> = {}) =>
    download(which, {
      folder,
      bytesMax: 1e6,
      progress: () => {},
      stop: new AbortController().signal,
      ...options,
    });
  const refusal = async (
    which: WantedFile,
    message: RegExp,
    stays?: readonly string[],
    options?: Partial<DownloadOptions>,
  ): Promise<void> => {
    await assert.rejects(get(which, options), { message });
    if (stays !== undefined) assert.deepEqual((await readdir(folder)).toSorted(), stays);
  };
  return { folder, server, close, wanted, get, refusal };
}
