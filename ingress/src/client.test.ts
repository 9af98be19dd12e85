import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { type ClientOptions, FacelineClient, FacelineError } from "@faceline/clients/typescript";
import { base64Image, facesAnswer, testKey, testServer } from "../testing/server.ts";
import { ApiError } from "./call/api-error.ts";

// Covers clients/typescript against the real server of the ingress.

const image = await base64Image();
const bytes = Buffer.from(image, "base64");
const busy = () => new ApiError("queue_full", "Too many requests are waiting.", { retryAfterMs: 1 });

test("the client sends images as Base64, bytes and Blobs, and the service understands them", async (t) => {
  const { faceline, dispatched } = await serve(t);
  const verified = await faceline.verify({ img1: bytes, img2: new Blob([bytes]) }, { requestId: "mine" });
  assert.deepEqual([verified.verified, verified.request_id], [true, "mine"]);
  assert.ok(dispatched[0]!.images.every((sent) => sent.equals(bytes)));
  const { results } = await faceline.represent({ img: image, max_faces: 1 });
  assert.deepEqual(results[0]!.embedding, [1, 0]);
  const compared = await faceline.compare({
    model_name: "SFace",
    vector: [1, 0],
    candidates: [[0, 1], new Blob([bytes]), { id: "ann", img: bytes }, { id: "bob", vector: [1, 0] }],
  });
  assert.deepEqual(
    compared.results.map((result) => ("distance" in result ? result.distance : result.error)),
    [1, 0, 0, 0],
  );
  assert.deepEqual((await faceline.capabilities()).models, ["SFace"]);
  assert.equal((await faceline.health()).status, "ok");
});

test("a degraded health is a result of the client, not an error", async (t) => {
  const { faceline } = await serve(t, { isServing: () => false });
  assert.equal((await faceline.health()).status, "degraded");
});

test("a failure is a FacelineError with code, status, request id, field and index", async (t) => {
  const { faceline, dispatched } = await serve(t);
  const failure = await failing(faceline.verify({ img1: image, img2: "" }, { requestId: "mine" }));
  assert.deepEqual(
    [failure.code, failure.status, failure.requestId, failure.field, failure.index],
    ["missing_image", 400, "mine", "img2", 1],
  );
  const path = await failing(faceline.verify({ img1: "photo.jpg", img2: image }));
  assert.match(path.message, /^img1 is a string, .* readFile/);
  assert.equal(dispatched.length, 0);
  const rejected = await failing((await serve(t, {}, { apiKey: "guessed" })).faceline.verify(images));
  assert.deepEqual([rejected.code, rejected.status], ["invalid_api_key", 401]);
});

test("a wrong address, or no key, is an error that says how to make the client", async (t) => {
  for (const options of [{ baseUrl: "127.0.0.1:8080" }, {}, undefined] as ClientOptions[]) {
    assert.throws(() => new FacelineClient(options), /^TypeError: baseUrl must begin with http/);
  }
  const { faceline } = await serve(t, {}, { apiKey: undefined });
  const failure = await failing(faceline.verify(images));
  assert.deepEqual([failure.code, failure.status], ["missing_api_key", 401]);
  assert.match(failure.message, /pass `apiKey` to FacelineClient/);
});

test("a call that is refused temporarily is repeated after Retry-After", async (t) => {
  let refusals = 1;
  const dispatch = async () => {
    if (refusals-- > 0) throw busy();
    return [facesAnswer([1, 0]), facesAnswer([1, 0])];
  };
  const { faceline, sent } = await serve(t, { dispatch });
  assert.equal((await faceline.verify(images)).verified, true);
  assert.equal(sent.length, 2);
});

test("a call is not repeated past its time limit, and fails with the last error", async (t) => {
  const busyForMinutes = new ApiError("queue_full", "Too many wait.", { retryAfterMs: 600_000 });
  const dispatch = () => Promise.reject(busyForMinutes);
  const { faceline, sent } = await serve(t, { dispatch }, { timeoutMs: 500_000 });
  const failure = await failing(faceline.verify(images));
  assert.deepEqual([failure.code, failure.retryAfterMs, sent.length], ["queue_full", 600_000, 1]);
});

test("a call whose connection broke is repeated, `triesMax` times in all", async (t) => {
  let broken = 2;
  const breaking: typeof fetch = (...ask) =>
    broken-- > 0 ? Promise.reject(new TypeError("fetch failed")) : fetch(...ask);
  const { faceline } = await serve(t, {}, { fetch: breaking });
  assert.equal((await faceline.verify(images)).verified, true);

  let tries = 0;
  const dead = () => Promise.reject(new TypeError(`fetch failed ${++tries}`));
  const unreachable = await serve(t, {}, { fetch: dead, attemptsMax: 2 });
  const failure = await failing(unreachable.faceline.verify(images));
  assert.deepEqual([failure.code, failure.status, tries], ["unreachable", 0, 2]);

  const { faceline: gone, app } = await serve(t, {}, { attemptsMax: 1 });
  await app.close();
  assert.match((await failing(gone.verify(images))).message, /at 127\.0\.0\.1:\d+: connection refused\.$/);
});

test("an AbortSignal ends a call, and the pause before its next try", async (t) => {
  const started = Promise.withResolvers<void>();
  const dispatch = () => {
    started.resolve();
    return Promise.withResolvers<never>().promise;
  };
  const waiting = await serve(t, { dispatch });
  const hangUp = new AbortController();
  const call = waiting.faceline.verify(images, { signal: hangUp.signal });
  await started.promise;
  hangUp.abort();
  await assert.rejects(call, { name: "AbortError" });

  await assert.rejects(waiting.faceline.health({ signal: hangUp.signal }), { name: "AbortError" });

  // Once the first try has broken, the client pauses for 100 ms at least.
  const stop = new AbortController();
  const breaking = () => {
    setImmediate(() => stop.abort());
    return Promise.reject(new TypeError("fetch failed"));
  };
  const pausing = await serve(t, {}, { fetch: breaking });
  await assert.rejects(pausing.faceline.verify(images, { signal: stop.signal }), { name: "AbortError" });
});

test("a call without a response ends at the client's time limit; a proxy's page is not taken for a response", async (t) => {
  const dispatch = () => Promise.withResolvers<never>().promise;
  const silent = await serve(t, { dispatch }, { timeoutMs: 100 });
  assert.equal((await failing(silent.faceline.verify(images))).code, "timeout");
  for (const status of [200, 502]) {
    const proxy = await serve(t, {}, { fetch: async () => new Response("<html>", { status }) });
    const failure = await failing(proxy.faceline.verify(images));
    assert.deepEqual([failure.code, failure.status], ["unexpected_response", status]);
  }
});

test("a redirect is an error: it would send the API key to another origin", async (t) => {
  const keys: unknown[] = [];
  const other = createServer(({ headers }, response) => {
    keys.push(headers["x-api-key"]);
    response.end("{}");
  }).listen(0, "127.0.0.1");
  const proxy = createServer((_request, response) => {
    response.writeHead(307, { location: addressOf(other) }).end();
  }).listen(0, "127.0.0.1");
  t.after(() => [other, proxy].map((server) => server.close()));
  await Promise.all([other, proxy].map((server) => once(server, "listening")));
  const faceline = new FacelineClient({ baseUrl: addressOf(proxy), apiKey: "secret", attemptsMax: 1 });
  assert.equal((await failing(faceline.verify(images))).code, "unreachable");
  assert.deepEqual(keys, []);
});

const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const images = { img1: image, img2: image };

async function serve(
  t: TestContext,
  serverOptions: Parameters<typeof testServer>[1] = {},
  options: Partial<ClientOptions> = {},
) {
  const { app, dispatched } = testServer(t, serverOptions);
  const sent: string[] = [];
  app.addHook("onRequest", async ({ method }) => {
    if (method === "POST") sent.push(method);
  });
  t.after(() => app.server.closeAllConnections());
  const baseUrl = await app.listen({ host: "127.0.0.1", port: 0 });
  return {
    app,
    faceline: new FacelineClient({ baseUrl: `${baseUrl}/`, apiKey: testKey, ...options }),
    dispatched,
    sent,
  };
}

async function failing(call: Promise<unknown>): Promise<FacelineError> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof FacelineError, String(error));
    return error;
  }
  assert.fail("the call should have failed");
}
