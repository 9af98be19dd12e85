import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import { base64Image, facesAnswer, testKeyRecord, testServer, waitUntil } from "../../testing/server.ts";
import { waitMaxMs } from "./memory-budget.ts";

const image = await base64Image();

test("a body above the memory budget is queue_full before it is read, and the budget is freed at the end of a call", async (t) => {
  const started = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const bytes = Buffer.byteLength(JSON.stringify({ model_name: "SFace", img: image }));
  const { post } = testServer(t, {
    settings: { BODY_BYTES_MAX: `${bytes}`, BODIES_IN_FLIGHT_BYTES_MAX: `${bytes}` },
    dispatch: async ({ images }) => {
      started.resolve();
      await answer.promise;
      return images.map(() => facesAnswer([1, 0]));
    },
  });
  const first = post("/represent", { img: image });
  await started.promise;
  const second = await post("/represent", { img: image });
  assert.deepEqual(
    [second.statusCode, second.json().error, second.headers["retry-after"]],
    [503, "queue_full", "1"],
  );

  answer.resolve();
  assert.equal((await first).statusCode, 200);
  assert.equal((await post("/represent", { img: image })).statusCode, 200);
});

test("sixteen uploads of one team that stall leave room for the calls of other teams", async (t) => {
  const { startUpload, post, authenticated } = await listeningServer(t, {
    BODY_BYTES_MAX: `${MiB}`,
    BODIES_IN_FLIGHT_BYTES_MAX: `${16 * MiB}`,
  });
  const uploads = Array.from({ length: 16 }, () => startUpload("ants"));
  for (const upload of uploads) upload.write("{");
  await waitUntil("the uploads are admitted", async () => authenticated() === 16);
  const response = await post("/verify", { img1: [1, 0], img2: [1, 0] }, { "x-api-key": "bees" });
  for (const upload of uploads) upload.destroy();
  assert.equal(response.statusCode, 200);
});

test("an upload that pauses for too long is answered, and its connection is closed", async (t) => {
  const { startUpload } = await listeningServer(t, {}, { bodyIdleMs: 50 });
  const upload = startUpload("ants");
  upload.write("{");
  const [response] = (await once(upload, "response")) as [IncomingMessage];
  const body = JSON.parse(String(Buffer.concat(await response.toArray())));
  assert.deepEqual([response.statusCode, response.headers.connection], [400, "close"]);
  assert.deepEqual([body.error, body.detail], ["invalid_request", "The request did not arrive in time."]);
});

test("a body with a least rate may be 3 s late, by what has come of it; without one it may pause", () => {
  const visitors = { idleMs: 10_000, bytesPerSecondMin: 1_000 };
  assert.equal(waitMaxMs({ receivedBytes: 0, waitedMs: 0 }, visitors), 3_000);
  assert.equal(waitMaxMs({ receivedBytes: 4, waitedMs: 2_904 }, visitors), 100);
  assert.equal(waitMaxMs({ receivedBytes: 4, waitedMs: 5_000 }, visitors), 0);
  assert.equal(waitMaxMs({ receivedBytes: 60_000, waitedMs: 1_000 }, visitors), 10_000);
  assert.equal(
    waitMaxMs({ receivedBytes: 0, waitedMs: 99_000 }, { ...visitors, bytesPerSecondMin: 0 }),
    10_000,
  );
});

test("a body without Content-Length counts as it arrives, and is queue_full once its team has no share left", async (t) => {
  const started = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const { post } = testServer(t, {
    settings: { BODY_BYTES_MAX: `${MiB}`, BODIES_IN_FLIGHT_BYTES_MAX: `${MiB}` },
    dispatch: async ({ images }) => {
      started.resolve();
      await answer.promise;
      return images.map(() => facesAnswer([1, 0]));
    },
  });
  const json = { "content-type": "application/json" };
  const upload = (bytes: number) =>
    post(
      "/represent",
      Readable.from([Buffer.from(`{"img": "${image}", "more": "`), Buffer.alloc(bytes, "a"), '"}']),
      json,
    );
  const first = upload(1_000);
  await started.promise;
  const refused = await upload(900_000);
  assert.deepEqual([refused.statusCode, refused.json().error], [503, "queue_full"]);
  const second = upload(100_000);
  answer.resolve();
  assert.deepEqual([(await first).statusCode, (await second).statusCode], [200, 200]);
});

const MiB = 1024 * 1024;

/** A server whose every key belongs to a team of its own, and uploads of chunks to it. */
async function listeningServer(t: TestContext, settings: Record<string, string>, limits = {}) {
  let authenticated = 0;
  const { app, post } = testServer(t, {
    settings,
    limits,
    findKey: async (sha256) => {
      authenticated++;
      return { ...testKeyRecord, key: { ...testKeyRecord.key, team: sha256 } };
    },
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const startUpload = (key: string): ClientRequest => {
    const headers = { "content-type": "application/json", "x-api-key": key };
    const upload = request({ host: "127.0.0.1", port, method: "POST", path: "/verify", headers });
    return upload.on("error", () => {});
  };
  return { startUpload, post, authenticated: () => authenticated };
}
