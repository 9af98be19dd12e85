import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { createRequire } from "node:module";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import test from "node:test";
import { KafkaSockets } from "./kafka-sockets.ts";

const Connection = createRequire(import.meta.url)("kafkajs/src/network/connection") as ConnectionClass;
const silent = { namespace: () => silent, debug() {}, error() {} };

test("a closed socket collects no listeners, however often kafkajs disconnects its connection", async (t) => {
  const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const sockets = new KafkaSockets();
  let socket: Socket | undefined;
  const connection = new Connection({
    host: "127.0.0.1",
    port: (server.address() as AddressInfo).port,
    logger: silent,
    connectionTimeout: 5_000,
    requestTimeout: 5_000,
    socketFactory({ host, port, onConnect }) {
      socket = connect({ host, port }, onConnect);
      sockets.add(socket);
      return socket;
    },
  });
  await connection.connect();
  if (!socket!.closed) await once(socket!, "close");

  const before = socket!.listenerCount("connect");
  for (let i = 0; i < EventEmitter.defaultMaxListeners; i++) await connection.disconnect();
  assert.equal(socket!.listenerCount("connect"), before);
});

type ConnectionClass = new (options: {
  host: string;
  port: number;
  logger: typeof silent;
  connectionTimeout: number;
  requestTimeout: number;
  socketFactory(address: { host: string; port: number; onConnect(): void }): Socket;
}) => { connect(): Promise<unknown>; disconnect(): Promise<unknown> };
