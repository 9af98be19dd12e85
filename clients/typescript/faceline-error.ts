import type { ErrorCode, Problem } from "./api-types.ts";

/**
 * Why a request failed. `message` is a sentence for people; `code` is what programs switch on. Tested with
 * real calls in ingress (`client.test.ts`).
 */
export class FacelineError extends Error {
  override name = "FacelineError";
  /** A code of the service's error table, or one of the client's own three. */
  readonly code: FacelineErrorCode;
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  readonly requestId: string | undefined;
  /** The field or header at fault. */
  readonly field: string | undefined;
  /** 0 and 1 for img1 and img2; for a candidate, its position in the request. */
  readonly index: number | undefined;
  /** How long to wait, from `Retry-After`. */
  readonly retryAfterMs: number | undefined;

  constructor(fields: FacelineErrorFields) {
    const { code, status, detail, requestId, field, index, retryAfterMs, cause } = fields;
    super(detail, { cause });
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.field = field;
    this.index = index;
    this.retryAfterMs = retryAfterMs;
  }
}

export type FacelineErrorCode =
  | ErrorCode
  /** There is no connection, or it broke. */
  | "unreachable"
  /** The client's `timeoutMs` has passed. */
  | "timeout"
  /** The response is not the service's own: a proxy's page, for example. */
  | "unexpected_response";

/** Maps a response that is not 2xx to an error. Reads the response's body. */
export async function errorFromResponse(response: Response): Promise<FacelineError> {
  const problem = parseProblem(await response.text());
  if (problem === undefined) return unexpectedResponse(response);
  const { error, field, index } = problem;
  const detail = adviceFor(problem) ?? problem.detail ?? error;
  return new FacelineError({ code: error, detail, field, index, ...fromHeaders(response) });
}

/** Says what this client takes, in place of the headers and forms that the service's own text names. */
function adviceFor({ error, field, index }: Partial<Problem>): string | undefined {
  if (error === "missing_api_key")
    return "This service needs an API key: pass `apiKey` to FacelineClient. Is its variable set?";
  if (error !== "unsupported_image_source") return undefined;
  const name = field === "candidates" ? `candidate ${index}` : field;
  return `${name} is a string, never opened as a path or an address: pass a Blob or bytes, as from readFile("photo.jpg").`;
}

/** Returns the error for a request without a response. Node has the reason in the cause, browsers nowhere. */
export function unreachable(host: string, cause: unknown): FacelineError {
  const { message, cause: inner } = cause as Error & { cause?: { code?: string; message?: string } };
  const reason = inner?.code === "ECONNREFUSED" ? "connection refused" : inner?.message || message;
  const detail = `The service could not be reached at ${host}: ${reason}.`;
  return new FacelineError({ code: "unreachable", status: 0, detail, cause });
}

/** Returns the error for a response whose body is not the service's. */
export function unexpectedResponse(response: Response): FacelineError {
  const detail = `The response with status ${response.status} is not the service's: check the address and proxies.`;
  return new FacelineError({ code: "unexpected_response", detail, ...fromHeaders(response) });
}

function parseProblem(text: string): (Partial<Problem> & Pick<Problem, "error">) | undefined {
  try {
    const body = JSON.parse(text) as Problem | null;
    return typeof body?.error === "string" ? body : undefined;
  } catch {
    return undefined;
  }
}

const fromHeaders = ({ status, headers }: Response) => ({
  status,
  requestId: headers.get("x-request-id") ?? undefined,
  retryAfterMs: parseRetryAfter(headers.get("retry-after")),
});

/** Milliseconds from a `Retry-After` in seconds, as the service sends it, or as a date, as a proxy may. */
function parseRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

type FacelineErrorFields = {
  code: FacelineErrorCode;
  status: number;
  detail: string;
  requestId?: string | undefined;
  field?: string | undefined;
  index?: number | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
};
