import { fill } from "../words/fill.ts";
import { words } from "./words.ts";

/** Failure of a request, and what the page does about it. */
export type Failure = {
  headline: string;
  explanation: string;
  /** The error code of the service; undefined if the service was not reached. */
  code?: string;
  requestId?: string;
  /** The response as it came; undefined if there was none. */
  body?: unknown;
  /** Position of the image at fault among those of the call: the source of a comparison is 0. */
  imageAtFault?: number;
  /** Seconds until the page retries by itself; undefined: it does not. */
  retryAfterS?: number;
  /** The service did not respond: the page asks /livez until it does. */
  isUnreachable?: true;
};

/** The body of an error as the service sends it; if a proxy responded, anything may be missing. */
export type ProblemBody = {
  error?: string;
  detail?: string;
  field?: string;
  /** Position of the candidate at fault, from 0. */
  index?: number;
  request_id?: string;
};

/**
 * Returns the words for an error. `retries` is how often the page has retried this request already: a busy
 * service is tried twice more, and a rate limit is waited for each time.
 */
export function failureOf(
  { status, body, retryAfter }: { status: number; body: ProblemBody; retryAfter: string | null },
  retries: number,
): Failure {
  const waitS = Math.min(Math.max(Math.ceil(Number(retryAfter)) || retryDefaultS, 1), retryLongestS);
  const imageAtFault = imageIndex(body);
  const known = {
    body,
    ...(body.error === undefined ? {} : { code: body.error }),
    ...(body.request_id === undefined ? {} : { requestId: body.request_id }),
    ...(imageAtFault === undefined ? {} : { imageAtFault }),
  };
  const detail = imageWords(body) ?? fill(words.failure.status, { status });
  if (body.error === "no_face_detected") {
    return {
      ...known,
      headline: noFaceWords(body) ?? detail,
      explanation: words.failure.noFace,
    };
  }
  if (status === 429) {
    return {
      ...known,
      headline: words.failure.rateLimited,
      explanation: words.failure.rateLimitedWhy,
      retryAfterS: waitS,
    };
  }
  if (status === 503) {
    const isBusy = body.error === "queue_full" || body.error === "queue_timeout";
    return {
      ...known,
      headline: isBusy ? words.failure.busy : words.failure.notReady,
      explanation: isBusy ? fill(words.failure.busyWhy, { detail }) : detail,
      ...(retries < busyRetriesMax ? { retryAfterS: waitS } : {}),
    };
  }
  return { ...known, headline: detail, explanation: nextStep(status) };
}

/** Failure of a request that the service did not respond to. */
export const unreachable: Failure = {
  headline: words.failure.unreachable,
  explanation: words.failure.unreachableWhy,
  isUnreachable: true,
};

/** Failure after the last of `probeDelayMs`: the page stops asking. */
export const goneForLong: Failure = {
  headline: words.failure.unreachable,
  explanation: words.failure.gaveUpWhy,
};

/**
 * Returns how long the page waits before it asks for the service again: 1 s, then twice as long each time, at
 * most 30 s. Undefined after about an hour.
 */
export const probeDelayMs = (probes: number): number | undefined =>
  probes < probesMax ? Math.min(1_000 * 2 ** probes, probeDelayMaxMs) : undefined;

/** The detail of a candidate at fault. The API counts candidates from 0, the page from 1. */
export const candidateWords = ({ index, error, detail }: CandidateFault): string =>
  error === "no_face_detected"
    ? noFaceInCandidate(index)
    : detail.replaceAll(new RegExp(`\\bcandidate ${index}\\b`, "g"), `candidate ${index + 1}`);

type CandidateFault = { index: number; error?: string | undefined; detail: string };

/** The sentence that names the image without a face as the page does; undefined: the service named none. */
function noFaceWords({ field = "", index }: ProblemBody): string | undefined {
  if (field === "candidates" && index !== undefined) return noFaceInCandidate(index);
  const { only, first, second } = words.image;
  const title = { img: only, img1: first, img2: second }[field];
  return title === undefined ? undefined : fill(words.failure.noFaceIn, { title });
}

const noFaceInCandidate = (index: number): string =>
  fill(words.failure.noFaceInCandidate, { position: index + 1 });

/** The detail of an error, with the name of the image that a visitor sees in place of its field. */
function imageWords({ detail, field = "", index, error }: ProblemBody): string | undefined {
  if (detail === undefined) return undefined;
  if (field === "candidates" && index !== undefined) return candidateWords({ index, error, detail });
  const title = englishTitles[field];
  return title === undefined ? detail : detail.replaceAll(field, title);
}

function imageIndex({ field = "", index }: ProblemBody): number | undefined {
  if (field === "candidates") return index === undefined ? undefined : index + 1;
  return { img: 0, img1: 0, img2: 1 }[field];
}

/** The details of the service are in English, whatever the language of the page. */
const englishTitles: Record<string, string> = {
  img: "the image",
  img1: "the first image",
  img2: "the second image",
};

function nextStep(status: number): string {
  if (status === 404) return words.failure.turnedOff;
  return status >= 500 ? words.failure.retry : words.failure.fix;
}

const probesMax = 125;
const probeDelayMaxMs = 30_000;
const busyRetriesMax = 2;
const retryDefaultS = 3;
const retryLongestS = 60;
