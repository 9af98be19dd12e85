import assert from "node:assert/strict";
import { after, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import fastify from "fastify";
import { compress, sendContent } from "./content.ts";

const page = await compress("text/html; charset=utf-8", Buffer.from("a page, a page, a page"));
const app = fastify();
after(() => app.close());
app.get("/", async (request, reply) => sendContent(request, reply, page));

const decoders = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (body: Buffer) => body,
};

test("a page comes in the best encoding that the client takes", async () => {
  const plain = (await app.inject("/")).body;
  const expected = {
    "gzip, deflate, br, zstd": "br",
    "gzip, deflate": "gzip",
    "br;q=0, gzip;q=0.5": "gzip",
    "gzip;q=0": "identity",
    identity: "identity",
    "*": "identity",
  } as const;
  for (const [accepted, encoding] of Object.entries(expected)) {
    const response = await app.inject({ url: "/", headers: { "accept-encoding": accepted } });
    assert.equal(response.headers["content-encoding"] ?? "identity", encoding, accepted);
    assert.equal(response.headers.vary, "accept-encoding");
    assert.equal(decoders[encoding](response.rawPayload).toString(), plain);
    assert.equal(Number(response.headers["content-length"]), response.rawPayload.length);
  }
});

test("a client that has the page gets 304 without a body, also if a proxy has made its tag weak", async () => {
  const headers = { "accept-encoding": "br" };
  const { etag } = (await app.inject({ url: "/", headers })).headers;
  for (const tags of [`"a", ${etag}`, `W/${etag}`, `"a" , W/"b",W/${etag}`, "*"]) {
    const response = await app.inject({ url: "/", headers: { ...headers, "if-none-match": tags } });
    assert.deepEqual([response.statusCode, response.body, response.headers.etag], [304, "", etag], tags);
  }
  for (const tags of [`W/"other"`, `W/`, ""]) {
    const response = await app.inject({ url: "/", headers: { ...headers, "if-none-match": tags } });
    assert.equal(response.statusCode, 200, tags);
  }
  const other = await app.inject({ url: "/", headers: { "if-none-match": String(etag) } });
  assert.equal(other.statusCode, 200, "the tag of another encoding");
});
