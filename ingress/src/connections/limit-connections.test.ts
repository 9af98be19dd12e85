import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openApiText } from "@faceline/contracts/http/open-api";
import { testAccounts } from "../../testing/accounts.ts";
import { base64Image, facesAnswer, testKey, testServer, waitUntil } from "../../testing/server.ts";
import type { ClosedConnection } from "../call/closed-connection.ts";

const image = await base64Image();
const get = "GET /livez HTTP/1.1\r\nhost: a\r\n\r\n";

test("a new connection takes the place of the stranger that has been silent for longest", async (t) => {
  const { app, open, closed, full } = await listeningServer(t, { settings: { CONNECTIONS_MAX: "3" } });
  const [first, second, third] = [await open(), await open(), await open()];
  // It asked for something since the second one was opened.
  await response(first, get);
  const fourth = await open();
  await closeOf(second);
  assert.match(await response(fourth, get), /^HTTP\/1.1 200 /);
  for (const socket of [first, third]) assert.match(await response(socket, get), /^HTTP\/1.1 200 /);
  assert.deepEqual([closed, full, app.connectionsFull()], [["connections_full"], [], false]);
});

// Whoever waits for a body is no hiding place: not with a key that nobody has looked at, or a wrong one.
const length = "content-type: application/json\r\ncontent-length: 10";
const form = "content-type: application/x-www-form-urlencoded\r\nsec-fetch-site: same-origin";
for (const [what, head] of Object.entries({
  "a form with a key": `POST /waitlist HTTP/1.1\r\n${form}\r\ncontent-length: 9\r\nx-api-key: x`,
  "a form in chunks": `POST /sign-in HTTP/1.1\r\n${form}\r\ntransfer-encoding: chunked\r\nauthorization: Bearer x`,
  "a call without a key": `POST /verify HTTP/1.1\r\n${length}`,
  "a call with a wrong key": `POST /verify HTTP/1.1\r\n${length}\r\nx-api-key: x\r\nexpect: 100-continue`,
  "a call of the tester": `POST /tester/verify HTTP/1.1\r\n${length}\r\nsec-fetch-site: same-origin\r\nx-api-key: x`,
  "a GET with a body": `GET /livez HTTP/1.1\r\n${length}\r\nx-api-key: ${testKey}`,
  "a path that is none": `PUT /nowhere HTTP/1.1\r\n${length}\r\nauthorization: Bearer ${testKey}`,
  "an upgrade": `GET /livez HTTP/1.1\r\n${length}\r\nconnection: upgrade\r\nupgrade: websocket`,
})) {
  test(`a request without its body holds no place: ${what}`, async (t) => {
    const { app, open, closed, full, requests } = await listeningServer(t, {
      settings: { CONNECTIONS_MAX: "2" },
      accounts: testAccounts().ports,
    });
    const [first, second] = [await open(), await open()];
    for (const socket of [first, second]) socket.write(`${head}\r\nhost: a\r\n\r\n`);
    await waitUntil("both have come", async () => requests.length === 2);
    // What is answered before its body, is.
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    assert.match(await response(await open(), get), /^HTTP\/1.1 200 /);
    await closeOf(first);
    assert.deepEqual([closed, full, app.connectionsFull()], [["connections_full"], [], false]);
  });
}

test("a call whose key was accepted keeps its place while its body comes, and between two calls", async (t) => {
  const { open, requests } = await listeningServer(t, { settings: { CONNECTIONS_MAX: "2" } });
  const client = await open();
  for (let call = 1; call <= 2; call++) {
    const [head, body] = verify().split("\r\n\r\n");
    client.write(`${head}\r\n\r\n${body!.slice(0, 9)}`);
    await waitUntil("its headers have come", async () => requests.length === call);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    for (let flood = 0; flood < 5; flood++) await open();
    assert.match(await response(client, body!.slice(9)), /^HTTP\/1.1 200 /);
    for (let flood = 0; flood < 5; flood++) await open();
  }
});

test("a form has 10 s for its body", async (t) => {
  const { open, requests } = await listeningServer(t, { accounts: testAccounts().ports });
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const socket = await open();
  socket.write(`POST /waitlist HTTP/1.1\r\nhost: a\r\n${form}\r\ncontent-length: 9\r\n\r\ne`);
  while (requests.length === 0) await new Promise(setImmediate);
  t.mock.timers.tick(9_999);
  const answer = once(socket, "data");
  t.mock.timers.tick(1);
  assert.match(String((await answer)[0]), /^HTTP\/1.1 400 [^]*connection: close/);
});

test("while every connection has a request, a new one is closed, and the calls get their answers", async (t) => {
  const answer = Promise.withResolvers<void>();
  const { app, open, closed, dispatched } = await listeningServer(t, {
    settings: { CONNECTIONS_MAX: "2" },
    dispatch: async ({ images }) => {
      await answer.promise;
      return images.map(() => facesAnswer([1, 0]));
    },
  });
  const calls = [response(await open(), verify()), response(await open(), verify())];
  await waitUntil("both are computed", async () => dispatched.length === 2);
  await closeOf(await open());
  assert.equal(app.connectionsFull(), true);
  answer.resolve();
  for (const each of await Promise.all(calls)) assert.match(each, /^HTTP\/1.1 200 /);
  assert.deepEqual([closed, app.connectionsFull()], [["connections_full"], false]);
});

test("of requests that are sent without waiting 16 are served, one at a time, and the rest says why not", async (t) => {
  const answer = Promise.withResolvers<void>();
  const { open, closed, dispatched, requests } = await listeningServer(t, {
    dispatch: async ({ images }) => {
      await answer.promise;
      return images.map(() => facesAnswer([1, 0]));
    },
  });
  const socket = await open();
  const responses = socket.setEncoding("latin1").toArray();
  socket.write(verify().repeat(40));
  await waitUntil("the last one that may wait has come", async () => requests.length >= 17);
  assert.equal(dispatched.length, 1);
  answer.resolve();
  const statuses = (await responses).join("").match(/HTTP\/1\.1 \d{3}/g);
  assert.deepEqual(statuses, [...Array(16).fill("HTTP/1.1 200"), "HTTP/1.1 429"]);
  assert.deepEqual([dispatched.length, closed], [16, ["pipelined_requests"]]);
});

test("of a client that does not read no further request is taken, and it is disconnected; one that reads has all", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { open, closed, sockets } = await listeningServer(t, {});
  const [deaf, reader] = [(await open()).pause(), await open()];
  let readBytes = 0;
  reader.on("data", (bytes) => (readBytes += bytes.length));
  for (const socket of [deaf, reader])
    socket.write("GET /openapi.json HTTP/1.1\r\nhost: a\r\n\r\n".repeat(16));
  await waitUntil("all was read", async () => readBytes > 16 * openApiText.length);
  await waitUntil("it is disconnected", async () => {
    t.mock.timers.tick(1_000);
    return sockets[0]!.destroyed;
  });
  assert.ok(sockets[0]!.bytesWritten < 4 * openApiText.length, `${sockets[0]!.bytesWritten}`);
  assert.deepEqual([closed, sockets[1]!.destroyed], [["response_not_read"], false]);
});

test("a client that has ended its side after the request gets its answer", async (t) => {
  let answer = Promise.withResolvers<void>();
  const { open, sockets } = await listeningServer(t, {
    dispatch: async ({ images }) => {
      await answer.promise;
      return images.map(() => facesAnswer([1, 0]));
    },
  });
  for (const version of ["1.1", "1.0"]) {
    answer = Promise.withResolvers<void>();
    const socket = await open();
    const responses = socket.setEncoding("latin1").toArray();
    const ended = once(sockets.at(-1)!, "end");
    socket.end(verify(version));
    await ended;
    answer.resolve();
    assert.match((await responses).join(""), /^HTTP\/1.1 200 /);
  }
});

test("a call whose client has left is cancelled by the second interim response; a patient one gets two", async (t) => {
  const signals: AbortSignal[] = [];
  const answer = Promise.withResolvers<void>();
  const { open, sockets } = await listeningServer(t, {
    dispatch: async ({ images, signal }) => {
      signals.push(signal);
      await answer.promise;
      return images.map(() => facesAnswer([1, 0]));
    },
  });
  t.mock.timers.enable({ apis: ["setInterval"] });
  const [patient, gone] = [await open(), await open()];
  const responses = patient.setEncoding("latin1").toArray();
  for (const [index, socket] of [patient, gone].entries()) {
    const ended = once(sockets[index]!, "end");
    socket.end(verify());
    await waitUntil("it is computed", async () => signals.length === index + 1);
    if (socket === gone) socket.destroy();
    await ended;
  }
  t.mock.timers.tick(3_000);
  // The first is on the wire; its reset comes back over loopback.
  await waitUntil("the client's kernel has reset it", async () => {
    t.mock.timers.tick(500);
    await sleep(10);
    return signals[1]!.aborted;
  });
  answer.resolve();
  const text = (await responses).join("");
  assert.deepEqual(
    text.match(/HTTP\/1\.1 \d{3}/g),
    ["100", "100", "200"].map((code) => `HTTP/1.1 ${code}`),
  );
  assert.equal(signals[0]!.aborted, false);
});

/** A server, its side of the connections, and what it reports of them. */
async function listeningServer(t: TestContext, options: Parameters<typeof testServer>[1]) {
  const closed: ClosedConnection[] = [];
  const full: boolean[] = [];
  const clients: Socket[] = [];
  // Before the server, which waits for their requests.
  t.after(async () => clients.forEach((client) => client.destroy()));
  const server = testServer(t, {
    reportClosedConnection: (reason) => closed.push(reason),
    reportConnectionsFull: (isFull) => full.push(isFull),
    ...options,
  });
  const sockets: Socket[] = [];
  const requests: IncomingMessage[] = [];
  server.app.server.on("connection", (socket) => sockets.push(socket));
  server.app.server.on("request", (request) => requests.push(request));
  await server.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.app.server.address() as { port: number };
  const open = async (localAddress = "127.0.0.1") => {
    const accepted = once(server.app.server, "connection");
    const socket = connect({ port, host: "127.0.0.1", localAddress }).on("error", () => {});
    clients.push(socket);
    await accepted;
    return socket;
  };
  return { ...server, open, closed, full, sockets, requests };
}

const verify = (version = "1.1"): string => {
  const body = JSON.stringify({ img1: image, img2: image });
  const head = `host: a\r\nx-api-key: ${testKey}\r\ncontent-type: application/json`;
  return `POST /verify HTTP/${version}\r\n${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};

const closeOf = (socket: Socket): Promise<unknown> =>
  new Promise((resolve) => (socket.closed ? resolve(true) : socket.resume().once("close", resolve)));

async function response(socket: Socket, request: string): Promise<string> {
  socket.write(request);
  return String((await once(socket, "data"))[0]);
}
