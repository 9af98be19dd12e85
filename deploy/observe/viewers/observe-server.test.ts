import assert from "node:assert/strict";
import { request } from "node:http";
import test, { type TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import { oddRequests, rawResponse } from "@faceline/runtime/testing/odd-requests";
import { freePorts } from "../../launcher/ports.ts";
import { openObserveServer } from "./observe-server.ts";
import type { ZipkinSpan } from "./zipkin-spans.ts";

const span = {
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  spanId: "00f067aa0ba902b7",
  name: "queue",
  startTimeUnixNano: "1760000000000000000",
  endTimeUnixNano: "1760000000001000000",
};
const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });

test("spans are taken as JSON, also with gzip, and a full queue says when to try again", async (t) => {
  const { post, spans } = await open(t, { spansMax: 2 });
  const plain = await post(body);
  assert.deepEqual([plain.status, await plain.json()], [200, {}]);
  assert.equal((await post(gzipSync(body), { "content-encoding": "gzip" })).status, 200);
  assert.deepEqual(
    spans.map(({ name }) => name),
    ["queue", "queue"],
  );
  const full = await post(body);
  assert.deepEqual([full.status, full.headers.get("retry-after")], [503, "1"]);
});

test("what is no request, too large or no JSON is refused with the status of OTLP", async (t) => {
  const { post, spans } = await open(t);
  const statusOf = async (...args: Parameters<typeof post>) => (await post(...args)).status;
  const gzip = { "content-encoding": "gzip" };
  const large = Buffer.alloc(5 * 1024 * 1024, " ");
  assert.equal(await statusOf("{"), 400);
  assert.equal(await statusOf('{"resourceSpans":[{"scopeSpans":[{"spans":[{}]}]}]}'), 400);
  assert.equal(await statusOf(`{"resourceSpans":${"[".repeat(1_000_000)}`), 400);
  assert.equal(await statusOf("no gzip", gzip), 400);
  assert.equal(await statusOf(gzipSync(large), gzip), 413);
  assert.equal(await statusOf(body, { "content-encoding": "br" }), 415);
  assert.equal(await statusOf(body, { "content-type": "application/x-protobuf" }), 415);
  assert.equal(await statusOf(body, { "content-type": "text/plain" }), 415);
  assert.equal(await statusOf(large), 413);
  assert.deepEqual(spans, []);
  assert.equal(await statusOf(body), 200, "it still serves");
});

test("the page and the searches are there, for loopback alone", async (t) => {
  const { port } = await open(t);
  const get = async (path: string, host = `127.0.0.1:${port}`) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const sent = request({ port, host: "127.0.0.1", path, headers: { host } }, (reply) => {
      reply.resume();
      resolve(`${reply.statusCode} ${reply.headers.location ?? reply.headers["content-type"]}`);
    });
    sent.on("error", reject).end();
    return promise;
  };
  assert.equal(await get("/"), "200 text/html; charset=utf-8");
  assert.equal(await get("/traces/slow"), "302 http://zipkin/?slow");
  assert.equal(await get("/traces/unknown"), "404 text/plain; charset=utf-8");
  assert.equal(await get("/v1/traces"), "405 text/plain; charset=utf-8");
  assert.equal(await get("/", "evil.example"), "403 text/plain; charset=utf-8");
});

test("no request ends the process, whatever it is", async (t) => {
  const { port } = await open(t);
  for (const [name, sent] of Object.entries(oddRequests)) {
    assert.match(await rawResponse(port, sent), /^HTTP\/1\.1 4\d\d /, name);
  }
});

async function open(t: TestContext, { spansMax = 100 } = {}) {
  const [port = 0] = await freePorts(1);
  const spans: ZipkinSpan[] = [];
  const add = (more: ZipkinSpan[]) => {
    if (spans.length + more.length > spansMax) return false;
    spans.push(...more);
    return true;
  };
  const server = await openObserveServer({
    port,
    queue: { add },
    traceAddress: (id) => id,
    page: async () => "<!doctype html>",
    search: (name) => (name === "slow" ? "http://zipkin/?slow" : undefined),
  });
  t.after(() => server[Symbol.asyncDispose]());
  const post = (content: string | Buffer, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof content === "string" ? content : new Uint8Array(content),
    });
  return { port, spans, post };
}
