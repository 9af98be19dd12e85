// Covered by ./failure.test.ts.

/** What went wrong with a call, and what the page does about it. */
export type Failure = {
  headline: string;
  explanation: string;
  /** The error code of the service; undefined where the service was not reached. */
  code?: string;
  requestId?: string;
  /** The field of the picture at fault, such as `img1` or `candidates[2]`. */
  field?: string;
  /** In how many seconds the page tries again by itself; undefined: it does not. */
  retryAfterS?: number;
};

/** The body of an error as the service sends it; anything may be missing where a proxy answered. */
export type ProblemBody = {
  error?: string;
  detail?: string;
  field?: string;
  request_id?: string;
};

/**
 * Returns the words for an error. `retries` is how often the page has tried this call again already: a busy
 * service is tried twice more, and a rate limit is waited for each time.
 */
export function failureOf(
  { status, body, retryAfter }: { status: number; body: ProblemBody; retryAfter: string | null },
  retries: number,
): Failure {
  const waitS = Math.min(Math.max(Math.ceil(Number(retryAfter)) || retryDefaultS, 1), retryLongestS);
  const known = {
    ...(body.error === undefined ? {} : { code: body.error }),
    ...(body.request_id === undefined ? {} : { requestId: body.request_id }),
    ...(body.field === undefined ? {} : { field: body.field }),
  };
  const detail = pictureWords(body) ?? `The service answered with status ${status}.`;
  if (body.error === "no_face_detected") {
    return {
      ...known,
      headline: detail,
      explanation:
        "Use an upright picture with a face that is turned to the camera and not covered, and with some room around " +
        "the head. A picture that lies on its side has to be turned first.",
    };
  }
  if (status === 429) {
    return {
      ...known,
      headline: "You have made many calls in a short time",
      explanation: "The tester has a limit for each address, so that it is there for everybody.",
      retryAfterS: waitS,
    };
  }
  if (status === 503) {
    const isBusy = body.error === "queue_full" || body.error === "queue_timeout";
    return {
      ...known,
      headline: isBusy ? "The service is busy" : "The service is not ready",
      explanation: isBusy ? `${detail} Calls with a key go before those of this page.` : detail,
      ...(retries < busyRetriesMax ? { retryAfterS: waitS } : {}),
    };
  }
  return { ...known, headline: detail, explanation: nextStep(status) };
}

/** The service was not reached. */
export const unreachable = (isOnline: boolean): Failure =>
  isOnline
    ? {
        headline: "The service cannot be reached",
        explanation: "It may be starting again. The page tries once more when you change something.",
      }
    : { headline: "You are offline", explanation: "The page continues once you are online again." };

/** The detail of an error, with the name of the picture that a visitor sees in place of its field. */
function pictureWords({ detail, field = "" }: ProblemBody): string | undefined {
  const [, candidate] = /^candidates\[(\d+)\]/.exec(field) ?? [];
  const title = candidate === undefined ? pictureTitles[field] : `candidate ${Number(candidate) + 1}`;
  return title === undefined ? detail : detail?.replaceAll(field, title);
}

const pictureTitles: Record<string, string> = {
  img: "the picture",
  img1: "the first picture",
  img2: "the second picture",
};

function nextStep(status: number): string {
  if (status === 404) return "The operator has turned the tester off. The documents are still there.";
  return status >= 500
    ? "Try again. If it happens again, report it to the operator with its request id."
    : "Change what it names, and the page tries again.";
}

const busyRetriesMax = 2;
const retryDefaultS = 3;
const retryLongestS = 60;
