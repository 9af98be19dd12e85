import type {
  CapabilitiesResponse,
  CompareResponse,
  CompareRequest,
  HealthResponse,
  RepresentResponse,
  RepresentRequest,
  VerifyResponse,
  VerifyRequest,
} from "./api-types.ts";
import { withBase64Images } from "./base64.ts";
import { errorFromResponse, FacelineError, unexpectedResponse, unreachable } from "./faceline-error.ts";
import { retryDelayMs } from "./retries.ts";

export type * from "./api-types.ts";
export { FacelineError, type FacelineErrorCode } from "./faceline-error.ts";

/**
 * A client of the HTTP API. It needs `fetch` alone: Node 20.3 or newer, browsers, Deno, Bun.
 *
 *     const faceline = new FacelineClient({ baseUrl: "http://127.0.0.1:8080", apiKey });
 *     const { verified } = await faceline.verify({ img1, img2 });
 *
 * Temporary refusals (429, 503) and broken connections are retried within `timeoutMs`, which is safe: a
 * request changes nothing in the service. Every method throws a FacelineError if the request fails, or the
 * reason of `signal` when the caller aborts.
 */
export class FacelineClient {
  readonly #options: Required<Omit<ClientOptions, "apiKey">> & Pick<ClientOptions, "apiKey">;

  /** Throws a TypeError if `baseUrl` is not an http or https address. */
  constructor(options: ClientOptions) {
    if (!/^https?:\/\//.test(options?.baseUrl)) {
      throw new TypeError(
        "baseUrl must begin with http:// or https://: new FacelineClient({ baseUrl, apiKey })",
      );
    }
    const { baseUrl, apiKey, attemptsMax = 4, timeoutMs = 60_000, fetch = globalThis.fetch } = options;
    this.#options = { baseUrl: baseUrl.replace(/\/+$/, ""), apiKey, attemptsMax, timeoutMs, fetch };
  }

  /** Tells whether two images show the same face. */
  verify(request: VerifyRequest, options: CallOptions = {}): Promise<VerifyResponse> {
    return this.#post("/verify", request, options);
  }

  /** Returns the faces of an image with their embeddings. */
  represent(request: RepresentRequest, options: CallOptions = {}): Promise<RepresentResponse> {
    return this.#post("/represent", request, options);
  }

  /**
   * Compares an image or a vector with many. A candidate that cannot be compared has an `error` of its own.
   */
  compare(request: CompareRequest, options: CallOptions = {}): Promise<CompareResponse> {
    return this.#post("/compare", request, options);
  }

  /** Returns models, detectors, thresholds and limits of the service. */
  capabilities(options: CallOptions = {}): Promise<CapabilitiesResponse> {
    return this.#send({ method: "GET", path: "/capabilities", headers: {} }, options);
  }

  /**
   * Tells whether the service could serve a request now. Never retried. `degraded` (503) is a response, not
   * an error.
   */
  async health({ signal }: Pick<CallOptions, "signal"> = {}): Promise<HealthResponse> {
    const request: HttpRequest = { method: "GET", path: "/health", headers: {} };
    const result = await this.#attempt(request, this.#options.timeoutMs, signal, async (response) =>
      response.ok || response.status === 503
        ? parseResponse<HealthResponse>(response)
        : errorFromResponse(response),
    );
    if (result instanceof FacelineError) throw result;
    return result;
  }

  async #post<Result>(path: string, request: object, options: CallOptions): Promise<Result> {
    const headers: Record<string, string> = {
      "content-type": "application/json",
    };
    if (this.#options.apiKey !== undefined) headers["x-api-key"] = this.#options.apiKey;
    if (options.deadlineMs !== undefined) headers["x-request-timeout-ms"] = String(options.deadlineMs);
    const body = JSON.stringify(await withBase64Images(request));
    return this.#send({ method: "POST", path, headers, body }, options);
  }

  async #send<Result>(request: HttpRequest, { signal, requestId }: CallOptions): Promise<Result> {
    const { attemptsMax, timeoutMs } = this.#options;
    const endsAt = performance.now() + timeoutMs;
    if (requestId !== undefined) request.headers["x-request-id"] = requestId;
    for (let attempt = 1; ; attempt++) {
      const result = await this.#attempt(request, endsAt - performance.now(), signal, async (response) =>
        response.ok ? parseResponse<Result>(response) : errorFromResponse(response),
      );
      if (!(result instanceof FacelineError)) return result;
      const remainingMs = endsAt - performance.now();
      const delayMs = retryDelayMs(result, { attempt, attemptsMax, remainingMs }, Math.random());
      if (delayMs === undefined) throw result;
      await sleep(delayMs, signal);
    }
  }

  /** One HTTP request. Returns an error that may be retried, and throws only when the caller aborts. */
  async #attempt<Result>(
    { path, ...init }: HttpRequest,
    timeoutMs: number,
    signal: AbortSignal | undefined,
    read: (response: Response) => Promise<Result | FacelineError>,
  ): Promise<Result | FacelineError> {
    const timeoutSignal = AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs)));
    const either = signal === undefined ? timeoutSignal : AbortSignal.any([timeoutSignal, signal]);
    const { baseUrl, fetch } = this.#options;
    try {
      // Read inside the `try`, because a connection may break in the middle of a response. The service never
      // redirects, and a followed redirect would send the API key to another origin.
      return await read(await fetch(`${baseUrl}${path}`, { ...init, redirect: "error", signal: either }));
    } catch (cause) {
      signal?.throwIfAborted();
      if (!timeoutSignal.aborted) return unreachable(new URL(baseUrl).host, cause);
      return new FacelineError({ code: "timeout", status: 0, detail: "No response came in time.", cause });
    }
  }
}

async function parseResponse<Result>(response: Response): Promise<Result | FacelineError> {
  const text = await response.text();
  try {
    return JSON.parse(text) as Result;
  } catch {
    return unexpectedResponse(response);
  }
}

/** Rejects with the reason of `signal` when it aborts. */
function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}

type HttpRequest = { method: string; path: string; headers: Record<string, string>; body?: string };

export type ClientOptions = {
  /** Address of the service: `http://127.0.0.1:8080`. */
  baseUrl: string;
  /** An API key. Not needed where the service runs with AUTH=off. */
  apiKey?: string | undefined;
  /** How often a request is sent at most, the first time included. Defaults to 4. */
  attemptsMax?: number;
  /** How long a request may take in milliseconds, with its pauses and retries. Defaults to 60,000. */
  timeoutMs?: number;
  /** Defaults to the global `fetch`. */
  fetch?: typeof globalThis.fetch;
};

export type CallOptions = {
  /** Ends the request, also in the pause before a retry. */
  signal?: AbortSignal;
  /** Sent as `x-request-id`: becomes the `request_id` of the response and of the service's logs. */
  requestId?: string;
  /** How long the service may take for one attempt, in milliseconds: `x-request-timeout-ms`. */
  deadlineMs?: number;
};
