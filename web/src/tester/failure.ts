/** Failure of a call, and what the page does about it. */
export type Failure = {
  headline: string;
  explanation: string;
  /** The error code of the service; undefined where the service was not reached. */
  code?: string;
  requestId?: string;
  /** Position of the picture at fault among those of the call: the source of a comparison is 0. */
  pictureAtFault?: number;
  /** Seconds until the page retries by itself; undefined: it does not. */
  retryAfterS?: number;
};

/** The body of an error as the service sends it; anything may be missing where a proxy answered. */
export type ProblemBody = {
  error?: string;
  detail?: string;
  field?: string;
  /** Position of the candidate at fault, from 0. */
  index?: number;
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
  const pictureAtFault = pictureIndex(body);
  const known = {
    ...(body.error === undefined ? {} : { code: body.error }),
    ...(body.request_id === undefined ? {} : { requestId: body.request_id }),
    ...(pictureAtFault === undefined ? {} : { pictureAtFault }),
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
      headline: "You have sent many requests in a short time",
      explanation: "The tester has a limit for each address, so that it is there for everybody.",
      retryAfterS: waitS,
    };
  }
  if (status === 503) {
    const isBusy = body.error === "queue_full" || body.error === "queue_timeout";
    return {
      ...known,
      headline: isBusy ? "The service is busy" : "The service is not ready",
      explanation: isBusy ? `${detail} Requests with a key have priority over this page.` : detail,
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

/** Returns the text of a slot whose sample cannot be loaded. */
export const notLoaded = (isOnline: boolean): string =>
  isOnline
    ? "The sample could not be loaded. Try again."
    : `${unreachable(false).headline}: the sample could not be loaded.`;

/** The detail of a candidate at fault. The API counts candidates from 0, the page from 1. */
export const candidateWords = ({ index, detail }: { index: number; detail: string }): string =>
  detail.replaceAll(new RegExp(`\\bcandidate ${index}\\b`, "g"), `candidate ${index + 1}`);

/** The detail of an error, with the name of the picture that a visitor sees in place of its field. */
function pictureWords({ detail, field = "", index }: ProblemBody): string | undefined {
  if (detail === undefined) return undefined;
  if (field === "candidates" && index !== undefined) return candidateWords({ index, detail });
  const title = pictureTitles[field];
  return title === undefined ? detail : detail.replaceAll(field, title);
}

function pictureIndex({ field = "", index }: ProblemBody): number | undefined {
  if (field === "candidates") return index === undefined ? undefined : index + 1;
  return { img: 0, img1: 0, img2: 1 }[field];
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
