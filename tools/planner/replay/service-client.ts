import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { LaneId } from "@faceline/contracts/wire/ids";
import { callBody } from "./call-body.ts";

/** Sends compute calls over connections that are kept. How a call ended is a value: nothing here throws. */
export class ServiceClient implements Disposable {
  readonly #url: string;
  readonly #request: typeof requestHttp;
  readonly #agent: HttpAgent;

  constructor(url: string, socketsMax: number) {
    const isHttps = url.startsWith("https:");
    this.#url = url;
    this.#request = isHttps ? requestHttps : requestHttp;
    const Agent = isHttps ? HttpsAgent : HttpAgent;
    // The service closes idle connections later than this: a call on a connection that closes would fail.
    this.#agent = new Agent({ keepAlive: true, maxSockets: socketsMax, timeout: 3_000 });
  }

  /** `pictures`: JPEGs in Base64. */
  call({ lane, pictures, key, deadlineMs }: ClientCall): Promise<ClientReply> {
    const { path, body } = callBody(lane, pictures);
    const { promise, resolve } = Promise.withResolvers<ClientReply>();
    const broken: ClientReply = { status: undefined, error: undefined };
    const call = this.#request(new URL(path, this.#url), {
      method: "POST",
      agent: this.#agent,
      headers: {
        "x-api-key": key,
        "x-request-timeout-ms": `${Math.round(deadlineMs)}`,
        "content-type": "application/json",
        "content-length": `${body.reduce((sum, { length }) => sum + length, 0)}`,
      },
    });
    call.setTimeout(giveUpMs, () => call.destroy());
    call.on("error", () => resolve(broken));
    call.on("response", (response: IncomingMessage) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        if (text.length < keptCharacters) text += chunk.toString("latin1");
      });
      response.on("error", () => resolve(broken));
      response.on("end", () => {
        const [, error] = /"error":\s*"(\w+)"/.exec(text) ?? [];
        resolve({ status: response.statusCode, error });
      });
    });
    call.cork();
    for (const piece of body) call.write(piece);
    call.end();
    return promise;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

/** A service answers by the deadline, which is at most 120 s. */
const giveUpMs = 130_000;
/** The code of an error is near the beginning. */
const keptCharacters = 512;

type ClientCall = { lane: LaneId; pictures: readonly Uint8Array[]; key: string; deadlineMs: number };

/** `status` is undefined where the connection failed. */
type ClientReply = { status: number | undefined; error: string | undefined };
