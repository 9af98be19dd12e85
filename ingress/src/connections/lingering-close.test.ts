// Clients that send their whole body before they read, as most do, and are refused before it has come.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { testKeyRecord, testServer, waitUntil } from "../../testing/server.ts";
import { ApiError } from "../call/api-error.ts";

const MiB = 1024 * 1024;

/** Refused requests by status: path, key and content type. */
const refusals = {
  401: ["/verify", "", "application/json"],
  404: ["/nowhere", "any", "application/json"],
  405: ["/health", "any", "application/json"],
  413: ["/verify", "any", "application/json"],
  415: ["/verify", "any", "text/html"],
  429: ["/verify", "too often", "application/json"],
  503: ["/verify", "away", "application/json"],
} as const;
const statuses = Object.keys(refusals).map(Number) as (keyof typeof refusals)[];

for (const [name, version, header] of [
  ["HTTP/1.0, as of nginx", "1.0", ""],
  ["HTTP/1.1 with Connection: close", "1.1", "connection: close\r\n"],
  ["HTTP/1.1 that keeps its connection", "1.1", ""],
  ["HTTP/1.1 with Expect: 100-continue", "1.1", "expect: 100-continue\r\nconnection: close\r\n"],
] as const) {
  for (const framing of version === "1.0" ? ["length"] : ["length", "chunks"]) {
    test(`a refusal while the body still comes is readable: ${name}, body by ${framing}`, async (t) => {
      const port = await listen(t);
      for (const status of statuses) {
        const [path, key, type] = refusals[status];
        const head = `POST ${path} HTTP/${version}\r\nhost: a\r\nx-api-key: ${key}\r\n${header}content-type: ${type}\r\n`;
        const received = await sendThenRead(port, head, framing, (status === 413 ? 12 : 8) * MiB);
        const answer = received.replace(/^HTTP\/1.1 100 Continue\r\n\r\n/, "");
        assert.match(answer, new RegExp(`^HTTP/1.1 ${status} [^]*"status":${status}[^]*}$`), `${status}`);
      }
    });
  }
}

test("what is no HTTP in the middle of a body, or before it, is refused readably as well", async (t) => {
  const port = await listen(t);
  const head = "POST /verify HTTP/1.1\r\nhost: a\r\nx-api-key: any\r\nconnection: close\r\n";
  for (const wrong of [`${head}transfer-encoding: chunked\r\n\r\nnonsense\r\n`, `${head}no header\r\n`]) {
    assert.match(await sendThenRead(port, wrong, "length", 8 * MiB), /^HTTP\/1.1 400 [^]*"invalid_request"/);
  }
});

test("a client that goes on sending after its refusal, and one that says nothing more, are closed", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { app } = testServer(t, { settings: { ...unpaced, BODY_BYTES_MAX: `${MiB}` } });
  const sockets: Socket[] = [];
  app.server.on("connection", (socket) => sockets.push(socket));
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as { port: number };
  const head = `POST /verify HTTP/1.0\r\ncontent-type: application/json\r\ncontent-length: ${100 * MiB}\r\n\r\n`;
  const refused = async () => {
    const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true }).on("error", () => {});
    t.after(() => client.destroy());
    client.write(head);
    client.resume();
    await once(client, "end");
    return client;
  };
  const [silent, loud] = [await refused(), await refused()];
  const closed = sockets.map((socket) => once(socket, "close"));
  for (let halfSeconds = 0; halfSeconds < 9; halfSeconds++) t.mock.timers.tick(500);
  assert.equal(sockets[0]!.destroyed, false);
  loud.write(Buffer.alloc(66 * MiB));
  await waitUntil("more has come than the limit", async () => sockets[1]!.bytesRead > 65 * MiB);
  t.mock.timers.tick(500);
  await Promise.all(closed);
  assert.equal(silent.destroyed, false);
});

/** Sends all of it before it reads anything. Throws if the connection is reset meanwhile. */
async function sendThenRead(port: number, head: string, framing: string, bytes: number): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }).pause();
  const isKept = !/HTTP\/1\.0|connection: close/.test(head);
  const failed = once(socket, "never");
  try {
    const body = Buffer.alloc(bytes, " ");
    const frame =
      framing === "length"
        ? [`${head}content-length: ${bytes}\r\n\r\n`, body]
        : [`${head}transfer-encoding: chunked\r\n\r\n${bytes.toString(16)}\r\n`, body, "\r\n0\r\n\r\n"];
    const sent = frame.map(
      (piece) =>
        new Promise<void>((resolve, reject) => {
          socket.write(piece, (error) => (error ? reject(error) : resolve()));
        }),
    );
    await Promise.race([Promise.all(sent), failed]);
    let received = "";
    socket
      .setEncoding("latin1")
      .on("data", (piece: string) => (received += piece))
      .resume();
    const isWhole = async () => (isKept ? received.endsWith("}") : socket.readableEnded);
    await Promise.race([waitUntil("the answer has come", isWhole), failed]);
    return received;
  } finally {
    socket.on("error", () => {}).destroy();
    failed.catch(() => {});
  }
}

async function listen(t: TestContext): Promise<number> {
  const tooOften = new ApiError("rate_limited", "Too many calls.", { retryAfterMs: 1 });
  let key = "";
  const { app } = testServer(t, {
    settings: { ...unpaced, BODY_BYTES_MAX: `${10 * MiB}` },
    findKey: async () => {
      if (key === "away") throw new ApiError("dependency_unavailable", "Keys are away.", { retryAfterMs: 1 });
      return testKeyRecord;
    },
    acquireTeamSlot: async () => ({ ...(key === "too often" ? { error: tooOften } : {}), release() {} }),
  });
  app.server.prependListener("request", (request) => (key = String(request.headers["x-api-key"])));
  await app.listen({ host: "127.0.0.1", port: 0 });
  return (app.server.address() as { port: number }).port;
}

/** Else the bodies of the calls without a key would wait for each other. */
const unpaced = { TEAM_BODY_BYTES_PER_SECOND: "0" };
