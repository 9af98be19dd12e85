import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/**
 * A TCP proxy on loopback that can swallow what it receives, in both directions, without closing anything:
 * what a client sees of a peer that lost power, of a firewall that dropped its state, of a broken cable. TCP
 * itself gives up such a connection after a quarter of an hour.
 */
export class SwallowingProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #target: Address;
  readonly #pairs = new Set<Pair>();
  #swallowing = false;

  private constructor(server: Server, target: Address) {
    this.#server = server;
    this.#target = target;
  }

  /** Listens on `port`, by default a free one. `target` is connected to for each client. */
  static async open(target: Address, port = 0): Promise<SwallowingProxy> {
    const server = createServer({ pauseOnConnect: true, highWaterMark: bufferBytes });
    const proxy = new SwallowingProxy(server, target);
    server.on("connection", (client) => proxy.#accept(client));
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return proxy;
  }

  /** The proxy before the server of `url`, and `url` with the address of the proxy. */
  static async before(url: string): Promise<{ proxy: SwallowingProxy; url: string }> {
    const address = new URL(url);
    const proxy = await SwallowingProxy.open({ host: address.hostname, port: Number(address.port) });
    address.host = `127.0.0.1:${proxy.port}`;
    return { proxy, url: address.href };
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /**
   * Stops reading: open connections fall silent forever, and new ones are accepted and stay silent likewise.
   */
  swallow(): void {
    this.swallowReplies();
    for (const { client } of this.#pairs) stopReading(client);
  }

  /** The same of what comes from the server alone: what open clients send still reaches it. */
  swallowReplies(): void {
    this.#swallowing = true;
    for (const { upstream } of this.#pairs) if (upstream !== undefined) stopReading(upstream);
  }

  /** Connections that are opened from now on work. Those from before have been forgotten. */
  resume(): void {
    this.#swallowing = false;
  }

  /** Passes at most 4 MB of what the open clients send every `everyMs` from now on, as on a slow line. */
  slowDown(everyMs: number): void {
    for (const { client, upstream } of this.#pairs) {
      if (upstream === undefined) continue;
      client.unpipe();
      client.pause();
      const timer = setInterval(() => {
        const piece = client.read() as Buffer | null;
        if (piece !== null) upstream.write(piece);
      }, everyMs);
      client.on("readable", () => {});
      client.on("close", () => clearInterval(timer));
    }
  }

  #accept(client: Socket): void {
    const pair: Pair = { client };
    this.#pairs.add(pair);
    const close = () => {
      client.destroy();
      pair.upstream?.destroy();
      this.#pairs.delete(pair);
    };
    client.on("error", close);
    client.on("close", close);
    if (this.#swallowing) return;
    const upstream = connect(this.#target);
    pair.upstream = upstream;
    upstream.on("error", close);
    upstream.on("close", close);
    client.pipe(upstream);
    upstream.pipe(client);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    for (const { client, upstream } of this.#pairs) {
      client.destroy();
      upstream?.destroy();
    }
    this.#server.close();
    await once(this.#server, "close");
  }
}

function stopReading(socket: Socket): void {
  socket.unpipe();
  socket.pause();
}

const bufferBytes = 4_000_000;

type Address = { host: string; port: number };

/** `upstream` is absent if the client came while packets were swallowed. */
type Pair = { client: Socket; upstream?: Socket };
