import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Sends calls over raw sockets at a fixed pace, each on the first of `connections` that is free. A call is a
 * head and a body that are written as they are, so that hardly any work is left for this process, which
 * shares the cores with the services. Refusals are ignored: the next call is sent when it is due. Resolves
 * when `stop` aborts, which closes all connections.
 */
export async function sendCalls(
  noise: RawCalls,
  server: NoiseServer,
  stop: AbortSignal,
): Promise<NoiseCounts> {
  const { calls, connections, perSecond } = noise;
  const counts: NoiseCounts = {};
  let nextAt = performance.now();
  let next = 0;
  const caller = async (): Promise<void> => {
    using connection = new RawConnection(server.url, stop);
    for (;;) {
      const now = performance.now();
      nextAt = Math.max(nextAt, now) + 1_000 / perSecond;
      await sleep(nextAt - now, undefined, { signal: stop });
      const { path, headers = "", body } = calls[next++ % calls.length]!;
      const head =
        `POST ${path} HTTP/1.1\r\nhost: faceline\r\nx-api-key: ${server.key}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n${headers}\r\n`;
      const status = await connection.call(head, body);
      if (stop.aborted) return;
      counts[status] = (counts[status] ?? 0) + 1;
    }
  };
  await Promise.allSettled(Array.from({ length: connections }, caller));
  return counts;
}

/** A kept connection, on which one call at a time is sent. */
class RawConnection implements Disposable {
  readonly #address: { host: string; port: number };
  readonly #stop: AbortSignal;
  #socket: Socket | undefined;

  constructor(url: string, stop: AbortSignal) {
    const { hostname, port } = new URL(url);
    this.#address = { host: hostname, port: Number(port) };
    this.#stop = stop;
  }

  /** Returns the status of the answer, or `broken` if the connection ended before it was complete. */
  call(head: string, body: Buffer): Promise<number | "broken"> {
    const { promise, resolve } = Promise.withResolvers<number | "broken">();
    const socket = this.#open();
    let text = "";
    const settle = (status: number | "broken") => {
      socket.off("data", onData).off("close", onClose);
      resolve(status);
    };
    const onClose = () => settle("broken");
    const onData = (bytes: Buffer) => {
      text += bytes.toString("latin1");
      const headEnd = text.indexOf("\r\n\r\n");
      if (headEnd === -1) return;
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (text.length < headEnd + 4 + length) return;
      if (/\r\nconnection: close/i.test(text.slice(0, headEnd))) this.#close();
      settle(Number(text.slice(9, 12)));
    };
    socket.on("data", onData).on("close", onClose);
    socket.write(head);
    socket.write(body);
    return promise;
  }

  #open(): Socket {
    if (this.#socket !== undefined && !this.#socket.destroyed) return this.#socket;
    const socket = connect(this.#address);
    socket.on("error", () => socket.destroy());
    const close = () => void socket.destroy();
    this.#stop.addEventListener("abort", close, { once: true });
    socket.once("close", () => this.#stop.removeEventListener("abort", close));
    this.#socket = socket;
    return socket;
  }

  #close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  [Symbol.dispose](): void {
    this.#close();
  }
}

/** `headers`: further lines, each with its line end. */
type RawCall = { path: string; headers?: string; body: Buffer };

/** Twice the default calls per second of a team, on as many connections as it may have calls in flight. */
export const twiceTheLimit = { connections: 64, perSecond: 100 };

/** Makes its bodies, and returns the function that sends them until `stop` aborts. */
export type Noise = () => Promise<(server: NoiseServer, stop: AbortSignal) => Promise<NoiseCounts>>;

/** `perSecond` is of all connections together. */
type RawCalls = { calls: RawCall[]; connections: number; perSecond: number };

export type NoiseServer = { url: string; key: string };

/** Calls or connections by the way they ended. */
export type NoiseCounts = Record<string, number>;
