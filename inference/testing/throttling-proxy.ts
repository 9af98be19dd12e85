import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * Opens a TCP proxy on loopback whose replies arrive in small pieces: a slow network between a client and the
 * server at `url`.
 */
export async function openThrottlingProxy(url: string, rate: Rate): Promise<ThrottlingProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const proxy = { deliveredBytes: 0, cutAt: Number.POSITIVE_INFINITY, silent: false };
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    let queued = Buffer.alloc(0);
    const deliver = () => {
      if (queued.length === 0 || proxy.silent) return;
      const piece = queued.subarray(0, rate.pieceBytes);
      queued = queued.subarray(piece.length);
      client.write(piece);
      proxy.deliveredBytes += piece.length;
      if (proxy.deliveredBytes < proxy.cutAt) return;
      proxy.cutAt = Number.POSITIVE_INFINITY;
      client.destroy();
    };
    const timer = setInterval(deliver, rate.everyMs);
    client.on("close", () => clearInterval(timer));
    upstream.on("data", (bytes: Buffer) => {
      queued = Buffer.concat([queued, bytes]);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return Object.assign(proxy, {
    // With the user and password of the server.
    url: Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
}

type Rate = { pieceBytes: number; everyMs: number };

type ThrottlingProxy = AsyncDisposable & {
  url: string;
  /** Bytes that clients were sent. */
  deliveredBytes: number;
  /** A connection is cut, once, when this many bytes were delivered. */
  cutAt: number;
  /** While true, nothing is delivered any more. */
  silent: boolean;
};
