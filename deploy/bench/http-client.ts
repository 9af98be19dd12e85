import { Agent, request } from "node:http";
import type { Seen } from "./outcomes.ts";

/** Posts bodies over connections that are kept. What a call comes to is a value: nothing here throws. */
export class HttpClient implements Disposable {
  readonly #agent: Agent;
  readonly #target: Target;
  readonly #bodies: Buffer[];

  constructor(target: Target, socketsMax: number) {
    this.#target = target;
    this.#bodies = target.bodies.map((body) => Buffer.from(body));
    // Servers close idle connections after 5 s and more: those that idle are closed here first.
    this.#agent = new Agent({ keepAlive: true, maxSockets: socketsMax, timeout: 3_000 });
  }

  /** Sends one of the bodies, in turn. Gives up `giveUpMs` after now. */
  post(index: number, giveUpMs: number): Promise<Reply> {
    const { url, headers } = this.#target;
    const body = this.#bodies[index % this.#bodies.length]!;
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const call = request(url, {
      method: "POST",
      agent: this.#agent,
      headers: { ...headers, "content-type": "application/json", "content-length": body.length },
    });
    const patience = setTimeout(() => {
      resolve({ ended: "gave up" });
      call.destroy();
    }, giveUpMs);
    const settle = (reply: Reply) => {
      clearTimeout(patience);
      resolve(reply);
    };
    call.on("error", () => settle({ ended: "broken" }));
    call.on("response", (response) => {
      const timing = response.headers["server-timing"];
      // A short answer is kept, for what it says of its batch.
      let text = "";
      response.on("data", (chunk: Buffer) => {
        if (text.length < shortCharacters) text += chunk.toString("latin1");
      });
      response.on("error", () => settle({ ended: "broken" }));
      response.on("end", () => settle(read(response.statusCode!, timing, text)));
    });
    call.end(body);
    return promise;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

const shortCharacters = 64;

function read(ended: number, timing: string | string[] | undefined, text: string): Reply {
  const reply: Reply = { ended };
  const [, batch] = /^\{"batch":\s*(\d+),/.exec(text) ?? [];
  if (batch !== undefined) reply.batch = Number(batch);
  if (typeof timing === "string") reply.serverTiming = timing;
  return reply;
}

export type Target = {
  url: string;
  headers: Record<string, string>;
  /** Sent in turn. */
  bodies: string[];
};

export type Reply = Pick<Seen, "ended" | "batch"> & { serverTiming?: string };
