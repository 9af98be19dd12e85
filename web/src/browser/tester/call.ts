import { type Failure, failureOf, type ProblemBody, unreachable } from "../../tester/failure.ts";
import type { ResponseBodies, ResponseBody, StoredAnswer } from "../../tester/response-body.ts";
import type { TesterSettings } from "../../tester/settings.ts";
import { base64Of, type Image } from "./image.ts";
import { readJson } from "./reach.ts";

/** The parts of one request. */
export type RequestInputs = {
  settings: TesterSettings;
  images: Image[];
  /** Face of the source of a comparison, counted from 0; undefined: the largest. */
  faceIndex?: number;
  /** Names of the people that the candidates show; "" for none. */
  people: string[];
};

/** A response, and how long it took. */
export type Answered<AnyBody = ResponseBody> = {
  kind: "answered";
  body: AnyBody;
  serverTiming: string;
  /** Undefined for an answer that the service keeps. */
  measuredMs: number | undefined;
};

/**
 * Sends images to the service. `retries` is how often the same request was sent before. Rejects only if
 * `signal` is aborted.
 */
export async function sendRequest<Call extends keyof ResponseBodies>(
  inputs: RequestInputs & { settings: { call: Call } },
  { signal, retries = 0 }: { signal: AbortSignal; retries?: number },
): Promise<Answered<ResponseBodies[Call]> | { kind: "failed"; failure: Failure }> {
  try {
    const body = JSON.stringify(await bodyOf(inputs));
    signal.throwIfAborted();
    const startedAt = performance.now();
    const response = await fetch(`/tester/${inputs.settings.call}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(responseMaxMs)]),
    });
    const { status, headers } = response;
    const received: unknown = await response.json().catch(() => ({}));
    signal.throwIfAborted();
    if (!response.ok) {
      const problem = { status, body: received as ProblemBody, retryAfter: headers.get("retry-after") };
      return { kind: "failed", failure: failureOf(problem, retries) };
    }
    return {
      kind: "answered",
      body: received as ResponseBodies[Call],
      serverTiming: headers.get("server-timing") ?? "",
      measuredMs: performance.now() - startedAt,
    };
  } catch (error) {
    signal.throwIfAborted();
    const isLost =
      error instanceof TypeError || (error instanceof DOMException && error.name === "TimeoutError");
    if (isLost) return { kind: "failed", failure: unreachable };
    throw error;
  }
}

/** Returns the body of a request. */
async function bodyOf({
  settings,
  images,
  faceIndex,
  people,
}: RequestInputs): Promise<Record<string, unknown>> {
  const [first, ...others] = await Promise.all(images.map(async (image) => base64Of(await image.read())));
  const { call, model, detector, metric, threshold } = settings;
  // JSON omits undefined values: then the service chooses.
  const detection = { model_name: model, detector_backend: detector };
  const comparison = { ...detection, distance_metric: metric, threshold };
  switch (call) {
    case "verify":
      return { img1: first, img2: others[0], ...comparison };
    case "represent":
      return { img: first, ...detection };
    case "compare":
      return {
        img: first,
        candidates: others.map((img, index) => ({
          id: images[index + 1]!.name,
          img,
          person: people[index] || undefined,
        })),
        ...comparison,
        face_index: faceIndex,
      };
  }
}

/** Returns the answer for the first sample pair, which the service keeps. Undefined: there is none yet. */
export async function storedAnswer(): Promise<(Answered & { files: string[] }) | undefined> {
  const stored = await readJson<StoredAnswer>("/tester/sample-answer");
  if (stored === undefined) return undefined;
  const { samples, response: body, timing } = stored;
  const files = samples.map((name) => `${name}.jpg`);
  return { kind: "answered", files, body, serverTiming: timing, measuredMs: undefined };
}

/** Twice the deadline of a request of the tester: what takes longer is lost. */
const responseMaxMs = 30_000;
