import type { ErrorCode } from "../src/http/errors.ts";
import type { Problem } from "../src/http/problem.ts";

/** Why a call has no answer. `code` is the stable one of the service's table, or one of the client's own three. */
export class FacelineError extends Error {
  override name = "FacelineError";
  readonly code: FailureCode;
  /** 0: no HTTP answer came at all. */
  readonly status: number;
  readonly requestId: string | undefined;
  /** The field at fault, and its place: 0 and 1 for img1 and img2, else the candidate's. */
  readonly field: string | undefined;
  readonly index: number | undefined;
  /** How soon the service asks to be tried again. */
  readonly retryAfterMs: number | undefined;

  constructor({ code, status, detail, requestId, field, index, retryAfterMs, cause }: Failure) {
    super(detail, { cause });
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.field = field;
    this.index = index;
    this.retryAfterMs = retryAfterMs;
  }
}

/** What an answer that is no success says: a problem of the service, or whatever a proxy before it had to say. */
export async function failureOf(answer: Response): Promise<FacelineError> {
  const text = await answer.text();
  const problem = problemIn(text);
  if (problem === undefined) return notOurs(answer);
  const { error, detail = error, field, index } = problem;
  return new FacelineError({ code: error, detail, field, index, ...sharedBy(answer) });
}

/** Where something between the client and the service answered. */
export function notOurs(answer: Response): FacelineError {
  const detail = `The answer, of status ${answer.status}, is none of the service's.`;
  return new FacelineError({ code: "unexpected_answer", detail, ...sharedBy(answer) });
}

function problemIn(text: string): (Partial<Problem> & Pick<Problem, "error">) | undefined {
  try {
    const body = JSON.parse(text) as Problem | null;
    return typeof body?.error === "string" ? body : undefined;
  } catch {
    return undefined;
  }
}

const sharedBy = ({ status, headers }: Response) => ({
  status,
  requestId: headers.get("x-request-id") ?? undefined,
  retryAfterMs: retryAfterOf(headers.get("retry-after")),
});

/** Seconds, as the service sends them; or a date, as a proxy may. */
function retryAfterOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

export type FailureCode =
  | ErrorCode
  /** No connection, or it broke. */
  | "unreachable"
  /** The client's own time was over. */
  | "timeout"
  /** Something between the client and the service answered. */
  | "unexpected_answer";

type Failure = {
  code: FailureCode;
  status: number;
  detail: string;
  requestId?: string | undefined;
  field?: string | undefined;
  index?: number | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
};
