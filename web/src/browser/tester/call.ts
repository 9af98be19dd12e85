import type { VerifyResponse } from "@faceline/contracts/http/verify";
import { type Failure, failureOf, type ProblemBody, unreachable } from "../../tester/failure.ts";
import type { Replies, Reply } from "../../tester/reply.ts";
import type { TesterSettings } from "../../tester/settings.ts";
import { base64Of, type Picture } from "./picture.ts";
import { readJson } from "./reach.ts";

/** What one request is made of. */
export type RequestInputs = {
  settings: TesterSettings;
  pictures: Picture[];
  /** Face of the source of a comparison, counted from 0; undefined: the largest. */
  faceIndex?: number;
};

/** A response, and how long it took. */
export type Answered<AnyReply = Reply> = {
  kind: "answered";
  reply: AnyReply;
  serverTiming: string;
  /** Undefined for an answer that the service keeps. */
  measuredMs: number | undefined;
};

/**
 * Sends images to the service. `retries` is how often the same request was sent before. Rejects only if
 * `signal` is aborted.
 */
export async function sendRequest<Call extends keyof Replies>(
  inputs: RequestInputs & { settings: { call: Call } },
  { signal, retries = 0 }: { signal: AbortSignal; retries?: number },
): Promise<Answered<Replies[Call]> | { kind: "failed"; failure: Failure }> {
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
      reply: received as Replies[Call],
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
async function bodyOf({ settings, pictures, faceIndex }: RequestInputs): Promise<Record<string, unknown>> {
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
        face_index: faceIndex,
      };
  }
}

/** Returns the answer for the first sample pair, which the service keeps. Undefined: there is none yet. */
export async function storedAnswer(): Promise<(Answered & { files: string[] }) | undefined> {
  const stored = await readJson<StoredAnswer>("/tester/sample-answer");
  if (stored === undefined) return undefined;
  const { samples, reply, timing } = stored;
  const files = samples.map((name) => `${name}.jpg`);
  return { kind: "answered", files, reply, serverTiming: timing, measuredMs: undefined };
}

type StoredAnswer = { samples: [string, string]; reply: VerifyResponse; timing: string };

/** Twice the deadline of a request of the tester: what takes longer got lost. */
const responseMaxMs = 30_000;
