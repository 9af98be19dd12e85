import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { base64Image, facesAnswer, testKey, testServer, waitUntil } from "../../testing/server.ts";
import type { ClosedConnection } from "../call/closed-connection.ts";
import { limitConnections } from "./limit-connections.ts";

const image = await base64Image();
const get = "GET /livez HTTP/1.1\r\nhost: a\r\n\r\n";

test("a new connection takes the place of the one that has been silent for longest", async (t) => {
  const { open, closed, full } = await listeningServer(t, { settings: { CONNECTIONS_MAX: "3" } });
  const [first, second, third] = [await open(), await open(), await open()];
  // It asked for something since the second one was opened.
  await reply(first, get);
  const fourth = await open();
  await closeOf(second);
  assert.match(await reply(fourth, get), /^HTTP\/1.1 200 /);
  for (const socket of [first, third]) assert.match(await reply(socket, get), /^HTTP\/1.1 200 /);
  assert.deepEqual([closed, full], [["connections_full"], [true]]);
  for (const socket of [first, third, fourth]) socket.destroy();
  await waitUntil("there is room again", async () => full.length === 2);
  assert.deepEqual(full, [true, false]);
});

test("headers without a key whose body does not come hold no place", async (t) => {
  const { open, closed } = await listeningServer(t, { settings: { CONNECTIONS_MAX: "2", AUTH: "off" } });
  const headers = "host: a\r\ncontent-type: application/json\r\ncontent-length: 100";
  const [first, second] = [await open(), await open()];
  for (const socket of [first, second]) {
    // The server has read the headers when it asks for the body.
    socket.write(`POST /verify HTTP/1.1\r\n${headers}\r\nexpect: 100-continue\r\n\r\n`);
    assert.match(String((await once(socket, "data"))[0]), /^HTTP\/1.1 100 /);
  }
  const third = await open();
  assert.match(await reply(third, get), /^HTTP\/1.1 200 /);
  await closeOf(first);
  assert.deepEqual(closed, ["connections_full"]);
  for (const socket of [second, third]) socket.destroy();
});

test("while every connection has a request, a new one is closed, and the calls get their answers", async (t) => {
  const answer = Promise.withResolvers<void>();
  const { open, closed, dispatched } = await listeningServer(t, {
    settings: { CONNECTIONS_MAX: "2" },
    dispatch: async ({ images }) => {
      await answer.promise;
      return images.map(() => facesAnswer([1, 0]));
    },
  });
  const calls = [reply(await open(), verify()), reply(await open(), verify())];
  await waitUntil("both are computed", async () => dispatched.length === 2);
  await closeOf(await open());
  answer.resolve();
  for (const each of await Promise.all(calls)) assert.match(each, /^HTTP\/1.1 200 /);
  assert.deepEqual(closed, ["connections_full"]);
});

test("an address above its share closes its own; a trusted proxy has no share", async (t) => {
  const server = createServer((_request, response) => response.end());
  const closed: ClosedConnection[] = [];
  limitConnections(server, {
    CONNECTIONS_MAX: 12,
    TRUSTED_PROXIES: ["127.0.0.2", "127.1.0.0/16"],
    BODY_BYTES_MAX: 1,
    ofSourceMax: 2,
    report: (reason) => closed.push(reason),
    reportFull: () => {},
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const open = async (localAddress: string) => {
    const accepted = once(server, "connection");
    const socket = connect({ port, host: "127.0.0.1", localAddress }).on("error", () => {});
    t.after(() => socket.destroy());
    await accepted;
    return socket;
  };
  for (const proxy of ["127.0.0.2", "127.1.9.9"]) for (let n = 0; n < 4; n++) await open(proxy);
  assert.deepEqual(closed, []);
  const [first] = [await open("127.0.0.3"), await open("127.0.0.3"), await open("127.0.0.3")];
  await closeOf(first);
  assert.deepEqual(closed, ["address_share"]);
});

test("of requests that are sent without waiting 16 are served at a time, and the rest says why not", async (t) => {
  const answer = Promise.withResolvers<void>();
  const { open, closed, dispatched } = await listeningServer(t, {
    dispatch: async ({ images }) => {
      await answer.promise;
      return images.map(() => facesAnswer([1, 0]));
    },
  });
  const socket = await open();
  const replies = socket.setEncoding("latin1").toArray();
  socket.write(verify().repeat(40));
  await waitUntil("as many as may be are computed", async () => dispatched.length === 16);
  answer.resolve();
  const statuses = (await replies).join("").match(/HTTP\/1\.1 \d{3}/g);
  assert.deepEqual(statuses, [...Array(16).fill("HTTP/1.1 200"), "HTTP/1.1 429"]);
  assert.deepEqual([dispatched.length, closed], [16, ["pipelined_requests"]]);
});

test("a client that does not read its answers is disconnected, and one that does has them all", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { open, closed, sockets } = await listeningServer(t, {});
  const [deaf, slow] = [await open(), await open()];
  for (const socket of [deaf, slow]) {
    socket.pause();
    socket.once("error", () => {});
  }
  const request = "GET /openapi.json HTTP/1.1\r\nhost: a\r\n\r\n";
  const fill = async (socket: Socket, at: number) => {
    // What the kernels take of it is not known here.
    while (sockets[at]!.writableLength === 0) {
      socket.write(request.repeat(8));
      await sleep(20);
    }
  };
  await Promise.all([fill(deaf, 0), fill(slow, 1)]);
  for (let second = 0; second < 9; second++) t.mock.timers.tick(1_000);
  assert.deepEqual(closed, []);
  let readBytes = 0;
  slow.on("data", (bytes) => (readBytes += bytes.length)).resume();
  await waitUntil("all was read", async () => sockets[1]!.writableLength === 0 && readBytes > 0);
  for (let second = 0; second < 9; second++) t.mock.timers.tick(1_000);
  await once(sockets[0]!, "close");
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
    const replies = socket.setEncoding("latin1").toArray();
    const ended = once(sockets.at(-1)!, "end");
    socket.end(verify(version));
    await ended;
    answer.resolve();
    assert.match((await replies).join(""), /^HTTP\/1.1 200 /);
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
  const replies = patient.setEncoding("latin1").toArray();
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
  const text = (await replies).join("");
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
  const server = testServer(t, {
    reportClosedConnection: (reason) => closed.push(reason),
    reportConnectionsFull: (isFull) => full.push(isFull),
    ...options,
  });
  const sockets: Socket[] = [];
  server.app.server.on("connection", (socket) => sockets.push(socket));
  await server.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.app.server.address() as { port: number };
  const open = async (localAddress = "127.0.0.1") => {
    const accepted = once(server.app.server, "connection");
    const socket = connect({ port, host: "127.0.0.1", localAddress }).on("error", () => {});
    t.after(() => socket.destroy());
    await accepted;
    return socket;
  };
  return { ...server, open, closed, full, sockets };
}

const verify = (version = "1.1"): string => {
  const body = JSON.stringify({ img1: image, img2: image });
  const head = `host: a\r\nx-api-key: ${testKey}\r\ncontent-type: application/json`;
  return `POST /verify HTTP/${version}\r\n${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};

const closeOf = (socket: Socket): Promise<unknown> =>
  new Promise((resolve) => (socket.closed ? resolve(true) : socket.resume().once("close", resolve)));

async function reply(socket: Socket, request: string): Promise<string> {
  socket.write(request);
  return String((await once(socket, "data"))[0]);
}
