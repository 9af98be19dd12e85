import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type ClientOptions, FacelineClient, FacelineError } from "@faceline/contracts/client";
import { Refusal } from "../refusal.ts";
import { faces, key, picture, stage } from "../stage.ts";

const image = await picture();
const bytes = Buffer.from(image, "base64");
const busy = () => new Refusal("queue_full", "Too many calls are waiting.", { retryAfterMs: 1 });

test("the client's calls are those of the service: images as Base64, bytes and Blobs", async (t) => {
  const { faceline, asked } = await serve(t);
  const verdict = await faceline.verify({ img1: bytes, img2: new Blob([bytes]) }, { requestId: "mine" });
  assert.deepEqual([verdict.verified, verdict.request_id], [true, "mine"]);
  assert.ok(asked[0]!.images.every((sent) => sent.equals(bytes)));
  const { results } = await faceline.represent({ img: image, max_faces: 1 });
  assert.deepEqual(results[0]!.embedding, [1, 0]);
  const compared = await faceline.compare({
    vector: [1, 0],
    candidates: [[0, 1], new Blob([bytes]), { id: "ann", img: bytes }, { id: "bob", vector: [1, 0] }],
  });
  assert.deepEqual(
    compared.results.map((result) => ("distance" in result ? result.distance : result.error)),
    [1, 0, 0, 0],
  );
  assert.deepEqual((await faceline.capabilities()).models, ["Dlib"]);
  assert.equal((await faceline.health()).status, "ok");
});

test("health is an answer also when it is degraded", async (t) => {
  const { faceline } = await serve(t, { serving: () => false });
  assert.equal((await faceline.health()).status, "degraded");
});

test("a failure is a FacelineError with code, status, request id, field and place", async (t) => {
  const { faceline, asked } = await serve(t);
  const failure = await failing(faceline.verify({ img1: image, img2: "" }, { requestId: "mine" }));
  assert.deepEqual(
    [failure.code, failure.status, failure.requestId, failure.field, failure.index],
    ["missing_image", 400, "mine", "img2", 1],
  );
  assert.equal(asked.length, 0);
  const stranger = await failing((await serve(t, {}, { apiKey: "guessed" })).faceline.verify(images));
  assert.deepEqual([stranger.code, stranger.status], ["invalid_api_key", 401]);
});

test("what was refused for now is made again after Retry-After, under one Idempotency-Key", async (t) => {
  let refusals = 1;
  const findFaces = async () => {
    if (refusals-- > 0) throw busy();
    return [faces([1, 0]), faces([1, 0])];
  };
  const { faceline, sent } = await serve(t, { findFaces });
  assert.equal((await faceline.verify(images)).verified, true);
  assert.equal(sent.length, 2);
  assert.match(sent[0]!, /^[0-9a-f-]{36}$/);
  assert.equal(sent[0], sent[1]);
  await faceline.verify(images);
  assert.notEqual(sent[2], sent[0]);
  await faceline.verify(images, { idempotencyKey: "mine" });
  assert.equal(sent[3], "mine");
});

test("a call is not made again past its own time, and says why it failed", async (t) => {
  const findFaces = () => Promise.reject(busy());
  const { faceline, sent } = await serve(t, { findFaces }, { timeoutMs: 900 });
  const failure = await failing(faceline.verify(images));
  assert.deepEqual([failure.code, failure.retryAfterMs, sent.length], ["queue_full", 1_000, 1]);
});

test("a connection that broke is tried again, so many times", async (t) => {
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
});

test("an AbortSignal ends a call, and the pause before its next try", async (t) => {
  const asked = Promise.withResolvers<void>();
  const findFaces = () => {
    asked.resolve();
    return Promise.withResolvers<never>().promise;
  };
  const waiting = await serve(t, { findFaces });
  const hangUp = new AbortController();
  const call = waiting.faceline.verify(images, { signal: hangUp.signal });
  await asked.promise;
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

test("the client's own time ends a call that nobody answers; a proxy's words are told from the service's", async (t) => {
  const findFaces = () => Promise.withResolvers<never>().promise;
  const silent = await serve(t, { findFaces }, { timeoutMs: 100 });
  assert.equal((await failing(silent.faceline.verify(images))).code, "timeout");
  for (const status of [200, 502]) {
    const proxy = await serve(t, {}, { fetch: async () => new Response("<html>", { status }) });
    const failure = await failing(proxy.faceline.verify(images));
    assert.deepEqual([failure.code, failure.status], ["unexpected_answer", status]);
  }
});

const images = { img1: image, img2: image };

async function serve(
  t: TestContext,
  staging: Parameters<typeof stage>[1] = {},
  options: Partial<ClientOptions> = {},
) {
  const { app, asked } = stage(t, staging);
  const sent: string[] = [];
  app.addHook("onRequest", async ({ headers, method }) => {
    if (method === "POST") sent.push(String(headers["idempotency-key"]));
  });
  t.after(() => app.server.closeAllConnections());
  const baseUrl = await app.listen({ host: "127.0.0.1", port: 0 });
  return { faceline: new FacelineClient({ baseUrl: `${baseUrl}/`, apiKey: key, ...options }), asked, sent };
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
