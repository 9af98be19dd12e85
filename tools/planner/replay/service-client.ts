import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { LaneId } from "@faceline/contracts/wire/ids";

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

/**
 * Returns the call that has so many pictures: /represent with one, /verify with two, /compare with more. A
 * trace does not say which it was; their pictures take the same work. `pictures`: JPEGs in Base64. The body
 * comes in pieces, so that pictures are not copied.
 */
function callBody(lane: LaneId, pictures: readonly Uint8Array[]): { path: string; body: Uint8Array[] } {
  const [model_name, detector_backend] = lane.split("/");
  const options = `"model_name":${JSON.stringify(model_name)},"detector_backend":${JSON.stringify(detector_backend)}`;
  const [first, second] = pictures as [Uint8Array, Uint8Array];
  if (pictures.length === 1)
    return { path: "/represent", body: [text(`{${options},"img":"`), first, text('"}')] };
  if (pictures.length === 2) {
    const body = [text(`{${options},"img1":"`), first, text('","img2":"'), second, text('"}')];
    return { path: "/verify", body };
  }
  const candidates = pictures
    .slice(1)
    .flatMap((picture, index) => [text(`${index === 0 ? "" : ","}{"img":"`), picture, text('"}')]);
  return {
    path: "/compare",
    body: [text(`{${options},"img":"`), first, text('","candidates":['), ...candidates, text("]}")],
  };
}

const text = (part: string): Buffer => Buffer.from(part);

/** A service answers by the deadline, which is at most 120 s. */
const giveUpMs = 130_000;
/** The code of an error is near the beginning. */
const keptCharacters = 512;

type ClientCall = { lane: LaneId; pictures: readonly Uint8Array[]; key: string; deadlineMs: number };

/** `status` is undefined where the connection failed. */
type ClientReply = { status: number | undefined; error: string | undefined };
