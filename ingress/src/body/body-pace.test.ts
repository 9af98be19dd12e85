import assert from "node:assert/strict";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { testKeyRecord, testServer, waitUntil } from "../../testing/server.ts";
import { ApiError } from "../call/api-error.ts";

// The limit is so low that what exceeds it waits for longer than any test runs: of an upload that is slowed
// down, the service reads what its buffers take and no more.

const MiB = 1024 * 1024;

test("a team that sends more bytes than its limit is slowed down, and another team is not", async (t) => {
  const { upload, callsOfBees } = await listeningServer(t);
  using ants = upload("ants");
  await waitUntil("the upload has begun", async () => ants.readBytes() > 0);
  assert.deepEqual(await callsOfBees(), [200]);
  assert.ok(ants.readBytes() < MiB, `${ants.readBytes()} bytes were read`);
});

for (const [name, key, status] of [
  ["a call that is refused before it is read", "refused", 429],
  ["a call without a key", "", 401],
] as const) {
  test(`the body of ${name} is discarded no faster`, async (t) => {
    const { upload, callsOfBees } = await listeningServer(t);
    using ants = upload(key);
    await waitUntil("it is answered", async () => ants.answer().startsWith(`HTTP/1.1 ${status}`));
    assert.deepEqual(await callsOfBees(), [200]);
    assert.ok(ants.readBytes() < MiB, `${ants.readBytes()} bytes were read`);
  });
}

test("an upload that waits for its team's pace is not cut off as idle", async (t) => {
  const { upload } = await listeningServer(t, MiB, { bodyIdleMs: 40 });
  const body = `{"model_name":"SFace","img1":[1,0],"img2":[1,0],"unread":"${"a".repeat(1.5 * MiB)}"}`;
  using ants = upload("ants", Buffer.from(body));
  await waitUntil("it is answered", async () => ants.answer() !== "");
  assert.match(ants.answer(), /^HTTP\/1.1 200 /);
});

/** A server whose every key belongs to a team of its own, and uploads to it over raw sockets. */
async function listeningServer(t: TestContext, bytesPerSecond = 1_000, limits = {}) {
  const tooMany = new ApiError("rate_limited", "Too many calls.", { retryAfterMs: 1 });
  let refuse = false;
  const { app, post } = testServer(t, {
    settings: { TEAM_BODY_BYTES_PER_SECOND: `${bytesPerSecond}` },
    limits,
    findKey: async (sha256) => ({ ...testKeyRecord, key: { ...testKeyRecord.key, team: sha256 } }),
    acquireTeamSlot: async () => ({ ...(refuse ? { error: tooMany } : {}), release() {} }),
  });
  const sockets: Socket[] = [];
  app.server.on("connection", (socket) => sockets.push(socket));
  await app.listen({ host: "127.0.0.1", port: 0 });
  const upload = (key: string, body = Buffer.alloc(8 * MiB, " ")) => {
    refuse = key === "refused";
    const client = connect((app.server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
    let answer = "";
    client.setEncoding("latin1").on("data", (text: string) => (answer += text));
    client.write(
      `POST /verify HTTP/1.1\r\nhost: a\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\n` +
        `content-length: ${body.length}\r\n\r\n`,
    );
    client.write(body);
    return {
      answer: () => answer,
      readBytes: () => sockets[0]?.bytesRead ?? 0,
      [Symbol.dispose]() {
        // The service does not read from its side, so it would not notice that the client has left.
        for (const socket of [client, ...sockets]) socket.destroy();
      },
    };
  };
  const callsOfBees = async () => {
    refuse = false;
    const statuses = new Set<number>();
    for (let calls = 0; calls < 50; calls++) {
      const vectors = { img1: [1, 0], img2: [1, 0] };
      statuses.add((await post("/verify", vectors, { "x-api-key": "bees" })).statusCode);
    }
    return [...statuses];
  };
  return { upload, callsOfBees };
}
