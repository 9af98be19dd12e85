import assert from "node:assert/strict";
import { type ClientRequest, request } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import { base64Image, facesAnswer, testKeyRecord, testServer, waitUntil } from "../../testing/server.ts";

const image = await base64Image();

test("a body above the memory budget is queue_full before it is read, and the budget is freed at the end of a call", async (t) => {
  const started = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const bytes = Buffer.byteLength(JSON.stringify({ img: image }));
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
async function listeningServer(t: TestContext, settings: Record<string, string>) {
  let authenticated = 0;
  const { app, post } = testServer(t, {
    settings,
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
