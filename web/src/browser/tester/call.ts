import type { CompareResponse } from "@faceline/contracts/http/compare";
import type { RepresentResponse } from "@faceline/contracts/http/represent";
import type { VerifyResponse } from "@faceline/contracts/http/verify";
import { type Failure, failureOf, type ProblemBody, unreachable } from "../../tester/failure.ts";
import type { TesterSettings } from "../../tester/settings.ts";
import { base64Of, type Picture } from "./picture.ts";

export type Replies = { verify: VerifyResponse; represent: RepresentResponse; compare: CompareResponse };

/** Outcome of a call of the tester. */
export type CallResult<Reply> =
  | { kind: "answered"; reply: Reply; serverTiming: string; measuredMs: number | undefined }
  | { kind: "failed"; failure: Failure; body: unknown };

/**
 * Sends pictures to the service. `retries` is how often the same call was sent before. Rejects only if
 * `signal` is aborted.
 */
export async function sendCall<Settings extends TesterSettings>(
  settings: Settings,
  pictures: Picture[],
  { signal, retries = 0 }: { signal: AbortSignal; retries?: number },
): Promise<CallResult<Replies[Settings["call"]]>> {
  try {
    const body = JSON.stringify(await bodyOf(settings, pictures));
    signal.throwIfAborted();
    const startedAt = performance.now();
    const response = await fetch(`/tester/${settings.call}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      signal,
    });
    const { status, headers } = response;
    const received: unknown = await response.json().catch(() => ({}));
    signal.throwIfAborted();
    if (!response.ok) {
      const problem = { status, body: received as ProblemBody, retryAfter: headers.get("retry-after") };
      return { kind: "failed", failure: failureOf(problem, retries), body: received };
    }
    return {
      kind: "answered",
      reply: received as Replies[Settings["call"]],
      serverTiming: headers.get("server-timing") ?? "",
      measuredMs: performance.now() - startedAt,
    };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TypeError) {
      return { kind: "failed", failure: unreachable(navigator.onLine), body: undefined };
    }
    throw error;
  }
}

/** Returns the body of a call of these pictures. */
async function bodyOf(settings: TesterSettings, pictures: Picture[]): Promise<Record<string, unknown>> {
  const [first, ...others] = await Promise.all(
    pictures.map(async (picture) => base64Of(await picture.read())),
  );
  const { call, model, detector, metric, threshold } = settings;
  // JSON leaves out what is undefined: then the service chooses.
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
        candidates: others.map((img, index) => ({ id: pictures[index + 1]!.name, img })),
        ...comparison,
      };
  }
}

/** Returns the answer for the first sample pair, which the service keeps. Undefined: there is none yet. */
export async function sampleAnswer(): Promise<SampleAnswer | undefined> {
  try {
    const response = await fetch("/tester/sample-answer");
    return response.ok ? ((await response.json()) as SampleAnswer) : undefined;
  } catch {
    return undefined;
  }
}

type SampleAnswer = { samples: [string, string]; reply: VerifyResponse; timing: string };
