import type { CapabilitiesReply } from "../src/http/capabilities.ts";
import type { CompareReply } from "../src/http/compare.ts";
import type { HealthReply } from "../src/http/health.ts";
import type { RepresentReply } from "../src/http/represent.ts";
import type { VerifyReply } from "../src/http/verify.ts";
import type { CompareCall, RepresentCall, VerifyCall } from "./calls.ts";
import { FacelineError, failureOf, notOurs } from "./failure.ts";
import { encoded } from "./images.ts";
import { pauseBefore } from "./retries.ts";

/**
 * A client of the HTTP API: `fetch` alone, in Node, browsers and what resembles them.
 *
 *     const faceline = new FacelineClient({ baseUrl: "http://127.0.0.1:8080", apiKey });
 *     const { verified } = await faceline.verify({ img1, img2 });
 *
 * Images are Base64, data URLs, bytes or Blobs. A call that was refused for now (429, 503) or whose connection broke is
 * made again, within its time; under one Idempotency-Key, so that it counts once. Whatever else fails is a FacelineError.
 */
export class FacelineClient {
  readonly #options: Required<Omit<ClientOptions, "apiKey">> & Pick<ClientOptions, "apiKey">;

  constructor({ baseUrl, apiKey, triesMax = 4, withinMs = 60_000, fetch = globalThis.fetch }: ClientOptions) {
    this.#options = {
      baseUrl: baseUrl.replace(/\/+$/, ""),
      triesMax,
      withinMs,
      fetch,
      ...(apiKey === undefined ? {} : { apiKey }),
    };
  }

  verify(call: VerifyCall, options: CallOptions = {}): Promise<VerifyReply> {
    return this.#post("/verify", call, options);
  }

  represent(call: RepresentCall, options: CallOptions = {}): Promise<RepresentReply> {
    return this.#post("/represent", call, options);
  }

  compare(call: CompareCall, options: CallOptions = {}): Promise<CompareReply> {
    return this.#post("/compare", call, options);
  }

  capabilities(options: CallOptions = {}): Promise<CapabilitiesReply> {
    return this.#send({ method: "GET", path: "/capabilities", headers: {} }, options);
  }

  /** Never made again: what it is now is the answer, `degraded` too. */
  async health({ signal }: Pick<CallOptions, "signal"> = {}): Promise<HealthReply> {
    const ask: Ask = { method: "GET", path: "/health", headers: {} };
    const answer = await this.#try(ask, this.#options.withinMs, signal, async (response) =>
      response.ok || response.status === 503 ? replyOf<HealthReply>(response) : failureOf(response),
    );
    if (answer instanceof FacelineError) throw answer;
    return answer;
  }

  async #post<Reply>(path: string, call: object, options: CallOptions): Promise<Reply> {
    const headers: Record<string, string> = {
      "content-type": "application/json",
      "idempotency-key": options.idempotencyKey ?? crypto.randomUUID(),
    };
    if (this.#options.apiKey !== undefined) headers["x-api-key"] = this.#options.apiKey;
    if (options.deadlineMs !== undefined) headers["x-request-timeout-ms"] = String(options.deadlineMs);
    return this.#send({ method: "POST", path, headers, body: JSON.stringify(await encoded(call)) }, options);
  }

  async #send<Reply>(ask: Ask, { signal, requestId }: CallOptions): Promise<Reply> {
    const { triesMax, withinMs } = this.#options;
    const endsAt = performance.now() + withinMs;
    if (requestId !== undefined) ask.headers["x-request-id"] = requestId;
    for (let tries = 1; ; tries++) {
      const answer = await this.#try(ask, endsAt - performance.now(), signal, async (response) =>
        response.ok ? replyOf<Reply>(response) : failureOf(response),
      );
      if (!(answer instanceof FacelineError)) return answer;
      const leftMs = endsAt - performance.now();
      const pauseMs = pauseBefore(answer, { tries, triesMax, leftMs }, Math.random());
      if (pauseMs === undefined) throw answer;
      await pause(pauseMs, signal);
    }
  }

  async #try<Reply>(
    { path, ...ask }: Ask,
    withinMs: number,
    signal: AbortSignal | undefined,
    read: (response: Response) => Promise<Reply | FacelineError>,
  ): Promise<Reply | FacelineError> {
    const timeIsUp = AbortSignal.timeout(Math.max(1, Math.ceil(withinMs)));
    const either = signal === undefined ? timeIsUp : AbortSignal.any([timeIsUp, signal]);
    const { baseUrl, fetch } = this.#options;
    try {
      // Read here: a connection may break in the middle of an answer.
      return await read(await fetch(`${baseUrl}${path}`, { ...ask, signal: either }));
    } catch (cause) {
      // The caller's own wish, in the caller's own words.
      signal?.throwIfAborted();
      const detail = timeIsUp.aborted ? "No answer came in time." : "The service could not be reached.";
      return new FacelineError({
        code: timeIsUp.aborted ? "timeout" : "unreachable",
        status: 0,
        detail,
        cause,
      });
    }
  }
}

async function replyOf<Reply>(response: Response): Promise<Reply | FacelineError> {
  const text = await response.text();
  try {
    return JSON.parse(text) as Reply;
  } catch {
    return notOurs(response);
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

type Ask = { method: string; path: string; headers: Record<string, string>; body?: string };

export type ClientOptions = {
  /** `http://127.0.0.1:8080` */
  baseUrl: string;
  /** Not needed where the service runs with AUTH=off. */
  apiKey?: string;
  /** How often a call is made, all in all. */
  triesMax?: number;
  /** How long a call may take, with its pauses and further tries. */
  withinMs?: number;
  fetch?: typeof globalThis.fetch;
};

export type CallOptions = {
  signal?: AbortSignal;
  /** Becomes the answer's `request_id`. */
  requestId?: string;
  /** Of one's own, to be used again by a later process; else one is made for each call. */
  idempotencyKey?: string;
  /** How long the service may take for one try: `x-request-timeout-ms`. */
  deadlineMs?: number;
};
