// Covers ./tester-routes.ts: what visitors can take from each other, and from teams.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { visitorsTenant } from "@faceline/contracts/wire/ids";
import { base64Image, facesAnswer, testServer, waitUntil } from "../testing/server.ts";
import { ApiError } from "./call/api-error.ts";

const image = await base64Image();
const vectors = { model_name: "SFace", img1: [1, 0], img2: [1, 0] };
const pair = { img1: image, img2: image };
const MiB = 1024 * 1024;

test("a body that trickles in holds its slot until the deadline, and no longer", async (t) => {
  const released = Promise.withResolvers<void>();
  const { upload } = await listeningServer(t, {
    acquireVisitorSlot: async () => ({ release: released.resolve }),
  });
  using visitor = upload(1_000, Buffer.from('{"img1'), ["x-request-timeout-ms: 50"]);
  await visitor.closed;
  await released.promise;
  assert.match(visitor.answer(), /^HTTP\/1.1 400 .*The request did not arrive in time\./s);
  assert.match(visitor.answer(), /connection: close/);
});

test("a body that stops is cut off after 3 s, and never had a slot that all visitors share", async (t) => {
  let [held, shared] = [0, 0];
  const { app, upload, readBytes } = await listeningServer(t, {
    acquireVisitorSlot: async () => ({ release: () => void held-- }),
    acquireSharedVisitorSlot: async () => {
      shared++;
      return { release: () => void shared-- };
    },
    dispatch: async ({ images }) => {
      assert.equal(shared, 1);
      return images.map(() => facesAnswer([1, 0]));
    },
  });
  t.mock.timers.enable({ apis: ["setTimeout"] });
  using visitor = upload(1_000, Buffer.from('{"img1'));
  while (readBytes() === 0) await new Promise(setImmediate);
  await new Promise(setImmediate);
  assert.deepEqual([held, shared], [0, 0]);
  const client = { isClosed: false };
  void visitor.closed.then(() => (client.isClosed = true));
  let elapsedMs = 0;
  // In small steps: the wait has parts, each of which starts the timer of the next one.
  for (; !client.isClosed && elapsedMs < 12_000; elapsedMs += 50) {
    t.mock.timers.tick(50);
    await new Promise(setImmediate);
  }
  assert.ok(elapsedMs >= 3_000 && elapsedMs < 12_000, String(elapsedMs));
  assert.match(visitor.answer(), /^HTTP\/1.1 400 .*The request did not arrive in time\./s);
  assert.deepEqual([held, shared], [-1, 0]);
  t.mock.timers.reset();
  assert.equal((await app.inject(visitorCall(pair))).statusCode, 200);
  assert.deepEqual([held, shared], [-2, 0]);
});

test("a visitor who does not read takes no slot that all visitors share", async (t) => {
  let [requests, taken, shared] = [0, 0, 0];
  const { app } = testServer(t, {
    acquireSharedVisitorSlot: async () => {
      taken++;
      shared++;
      return { release: () => void shared-- };
    },
  });
  app.server.on("request", () => requests++);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const deaf = connect((app.server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
  t.after(() => deaf.destroy());
  const body = JSON.stringify(pair);
  const head = "host: a\r\nsec-fetch-site: same-origin\r\ncontent-type: application/json";
  deaf.write("GET /openapi.json HTTP/1.1\r\nhost: a\r\n\r\n".repeat(8));
  deaf.write(`POST /tester/verify HTTP/1.1\r\n${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  await waitUntil("all have come", async () => requests === 9);
  assert.equal(taken, 0);
  deaf.resume();
  await waitUntil("the answer is ready", async () => taken === 1 && shared === 0);
});

test("a call whose body has come is not cut off at the deadline: its answer ends it", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { app } = testServer(t, {
    dispatch: async ({ images }) => {
      t.mock.timers.tick(120_000);
      await new Promise(setImmediate);
      return images.map(() => facesAnswer([1, 0]));
    },
  });
  const address = await app.listen({ host: "127.0.0.1", port: 0 });
  const { url, payload, method, headers } = visitorCall(pair);
  const init = { method, headers: { ...headers, "x-request-timeout-ms": "500" }, body: payload };
  assert.equal((await fetch(`${address}${url}`, init)).status, 200);
});

test("visitors who fill their share of the bodies' memory take nothing from a team", async (t) => {
  const held = Promise.withResolvers<void>();
  const { app, post, dispatched } = testServer(t, {
    settings: { BODY_BYTES_MAX: "100000", BODIES_IN_FLIGHT_BYTES_MAX: "400000" },
    dispatch: async ({ images, tenant }) => {
      if (tenant === visitorsTenant) await held.promise;
      return images.map(() => facesAnswer([1, 0]));
    },
  });
  const body = { ...pair, padding: "a".repeat(60_000) };
  const flood = Array.from({ length: 20 }, () => app.inject(visitorCall(body)));
  const first = await Promise.race(flood);
  assert.deepEqual([first.statusCode, first.json().error], [503, "queue_full"]);
  assert.equal((await post("/verify", body)).statusCode, 200);
  held.resolve();
  const responses = await Promise.all(flood);
  const served = responses.filter(({ statusCode }) => statusCode === 200).length;
  assert.ok(served > 0 && served < 6, `${served} visitors had room`);
  assert.equal(dispatched.filter(({ tenant }) => tenant !== visitorsTenant).length, 1);
});

test("visitors who send more bytes than their limit are slowed down, and a team is not", async (t) => {
  const { upload, post, readBytes } = await listeningServer(t, {
    limits: { visitorBodyBytesPerSecond: 1_000 },
  });
  using _visitor = upload(4 * MiB);
  await waitUntil("the upload has begun", async () => readBytes() > 0);
  for (let calls = 0; calls < 20; calls++) {
    assert.equal((await post("/verify", vectors)).statusCode, 200);
  }
  assert.ok(readBytes() < MiB, `${readBytes()} bytes were read`);
});

test("the body of a refused visitor does not delay that of an admitted one", async (t) => {
  const error = new ApiError("rate_limited", "Too many calls.", { retryAfterMs: 1 });
  let refuse = true;
  const { app, upload } = await listeningServer(t, {
    // Whoever waits behind that body waits for longer than any test runs.
    limits: { visitorBodyBytesPerSecond: 1_000 },
    acquireVisitorSlot: async () => ({ ...(refuse ? { error } : {}), release() {} }),
  });
  using refused = upload(4 * MiB);
  await waitUntil("it is refused", async () => refused.answer().startsWith("HTTP/1.1 429"));
  refuse = false;
  assert.equal((await app.inject(visitorCall(vectors))).statusCode, 200);
});

const visitorCall = (body: object) => ({
  method: "POST" as const,
  url: "/tester/verify",
  headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
  payload: JSON.stringify(body),
});

/** A server, and uploads of visitors to it over raw sockets: a body of `bytes`, or its beginning. */
async function listeningServer(t: TestContext, options: Parameters<typeof testServer>[1]) {
  const server = testServer(t, options);
  const sockets: Socket[] = [];
  server.app.server.on("connection", (socket) => sockets.push(socket));
  await server.app.listen({ host: "127.0.0.1", port: 0 });
  const upload = (bytes: number, body = Buffer.alloc(bytes, " "), headers: string[] = []) => {
    const socket = connect((server.app.server.address() as AddressInfo).port, "127.0.0.1").on(
      "error",
      () => {},
    );
    let answer = "";
    socket.setEncoding("latin1").on("data", (text: string) => (answer += text));
    const head = ["POST /tester/verify HTTP/1.1", "host: a", "sec-fetch-site: same-origin", ...headers];
    socket.write(
      [...head, "content-type: application/json", `content-length: ${bytes}`, "", ""].join("\r\n"),
    );
    socket.write(body);
    return {
      answer: () => answer,
      closed: once(socket, "close"),
      [Symbol.dispose]() {
        // The service does not read from its side, so it would not notice that the client has left.
        for (const each of [socket, ...sockets]) each.destroy();
      },
    };
  };
  return { ...server, upload, readBytes: () => sockets[0]?.bytesRead ?? 0 };
}
