import { Agent, request } from "node:http";

/**
 * Posts JSON bodies over connections that are kept. How a call ended is a value: nothing here throws. Tested
 * by `open-loop.test.ts` and `closed-loop.test.ts`.
 */
export class HttpClient implements Disposable {
  readonly #agent: Agent;
  readonly #target: Target;
  readonly #bodies: Buffer[];

  constructor(target: Target, socketsMax: number) {
    this.#target = target;
    this.#bodies = target.bodies.map((body) => Buffer.from(body));
    // Servers close idle connections after 5 s or more. Closing them here first avoids a call on a closing
    // one.
    this.#agent = new Agent({ keepAlive: true, maxSockets: socketsMax, timeout: 3_000 });
  }

  /** Sends one of the bodies, in turn. Gives up `giveUpMs` after now. */
  post(index: number, giveUpMs: number): Promise<Response> {
    const { url, headers } = this.#target;
    const body = this.#bodies[index % this.#bodies.length]!;
    const { promise, resolve } = Promise.withResolvers<Response>();
    const call = request(url, {
      method: "POST",
      agent: this.#agent,
      headers: { ...headers, "content-type": "application/json", "content-length": body.length },
    });
    const giveUp = setTimeout(() => {
      resolve({ status: "gave up" });
      call.destroy();
    }, giveUpMs);
    const settle = (response: Response) => {
      clearTimeout(giveUp);
      resolve(response);
    };
    call.on("error", () => settle({ status: "broken" }));
    call.on("response", (response) => {
      const timing = response.headers["server-timing"];
      // The beginning of an answer is enough to read the code of an error.
      let text = "";
      response.on("data", (chunk: Buffer) => {
        if (text.length < keptCharacters) text += chunk.toString("latin1");
      });
      response.on("error", () => settle({ status: "broken" }));
      response.on("end", () => settle(readResponse(response.statusCode!, timing, text)));
    });
    call.end(body);
    return promise;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

const keptCharacters = 64;

function readResponse(status: number, timing: string | string[] | undefined, text: string): Response {
  const response: Response = { status };
  const [, error] = /^\{"error":\s*"(\w+)"/.exec(text) ?? [];
  if (error !== undefined) response.error = error;
  if (typeof timing === "string") response.serverTiming = timing;
  return response;
}

/**
 * Reads the header `Server-Timing`. `queueMs`: until a worker takes the batch, without the hops. `batchMs`:
 * all hops, and fetching and decoding. `inferMs`: the run. What is missing is 0.
 */
export function readServerTiming(header = ""): { queueMs: number; batchMs: number; inferMs: number } {
  const parts = [...header.matchAll(/(\w+);dur=(-?[\d.]+)/g)].map(([, name, ms]) => [name, Number(ms)]);
  const {
    admission = 0,
    publish = 0,
    hold = 0,
    queue = 0,
    hop = 0,
    prepare = 0,
    run = 0,
  } = Object.fromEntries(parts);
  return { queueMs: admission + publish + hold + queue, batchMs: hop + prepare, inferMs: run };
}

export type Target = {
  url: string;
  headers: Record<string, string>;
  /** Sent in turn. */
  bodies: string[];
};

export type Response = {
  /** The status of the answer; `broken`: the connection failed; `gave up`: there was no answer in time. */
  status: number | "gave up" | "broken";
  /** The code of an error, where the answer says so. */
  error?: string;
  serverTiming?: string;
};
