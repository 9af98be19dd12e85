import type { Failure } from "./failure.ts";

/**
 * State of the result below the images. `Inputs` are the images and settings of one request: every change
 * makes new ones, which are compared by identity. `Answer` is the response, with what belongs to it.
 *
 *     empty ◄──► running ──► answer
 *                 │  ▲
 *                 ▼  │ retryAt, service reached
 *                failure
 *
 * Any change leads to `running` or `empty` at once: no answer stands beside other images than its own.
 */
export type RunState<Inputs, Answer> =
  | { kind: "empty"; missing: string; refusal: string }
  | {
      kind: "running";
      step: Step<Inputs>;
      /** The first change since the last answer. */
      startedAt: number;
      /** The last answer, decided again for a moved threshold: it is about the same images. */
      kept?: Answer;
    }
  | { kind: "answer"; inputs: Inputs; answer: Answer }
  | { kind: "failure"; inputs: Inputs; failure: Failure; retries: number; retryAt?: number };

type Step<Inputs> =
  /** An image is being decoded. */
  | { kind: "reading" }
  /** Several quick changes are one request. */
  | { kind: "settling"; inputs: Inputs; sendAt: number }
  | { kind: "sending"; inputs: Inputs; sentAt: number; retries: number };

export type RunEvent<Inputs, Answer> =
  | { kind: "reading" }
  /** An image is missing, or a setting is wrong: `missing` says what to do, `refusal` what was not taken. */
  | { kind: "incomplete"; missing: string; refusal: string }
  | { kind: "changed"; inputs: Inputs; settleMs: number; kept?: Answer }
  | { kind: "answered"; inputs: Inputs; answer: Answer }
  | { kind: "failed"; inputs: Inputs; failure: Failure }
  /** The service responds again after it could not be reached. */
  | { kind: "reached" }
  | { kind: "tick" };

/** Returns the state after an event. A response to another request than the one in flight changes nothing. */
export function transition<Inputs, Answer>(
  state: RunState<Inputs, Answer>,
  event: RunEvent<Inputs, Answer>,
  now: number,
): RunState<Inputs, Answer> {
  const startedAt = state.kind === "running" ? state.startedAt : now;
  const send = (inputs: Inputs, retries: number, kept?: Answer): RunState<Inputs, Answer> => ({
    kind: "running",
    step: { kind: "sending", inputs, sentAt: now, retries },
    startedAt,
    ...(kept === undefined ? {} : { kept }),
  });
  switch (event.kind) {
    case "reading":
      return { kind: "running", step: { kind: "reading" }, startedAt };
    case "incomplete":
      return { kind: "empty", missing: event.missing, refusal: event.refusal };
    case "changed": {
      const step = { kind: "settling" as const, inputs: event.inputs, sendAt: now + event.settleMs };
      return { kind: "running", step, startedAt, ...(event.kept === undefined ? {} : { kept: event.kept }) };
    }
    case "answered":
      if (sendingOf(state)?.inputs !== event.inputs) return state;
      return { kind: "answer", inputs: event.inputs, answer: event.answer };
    case "failed": {
      // A failure follows another one where the page stops waiting for the service.
      const request = state.kind === "failure" ? state : sendingOf(state);
      if (request?.inputs !== event.inputs) return state;
      const { inputs, failure } = event;
      const retryAt = failure.retryAfterS === undefined ? {} : { retryAt: now + 1_000 * failure.retryAfterS };
      return { kind: "failure", inputs, failure, retries: request.retries, ...retryAt };
    }
    case "reached":
      return state.kind === "failure" && state.failure.isUnreachable === true ? send(state.inputs, 0) : state;
    case "tick":
      if (state.kind === "failure" && state.retryAt !== undefined && now >= state.retryAt)
        return send(state.inputs, state.retries + 1);
      if (state.kind === "running" && state.step.kind === "settling" && now >= state.step.sendAt)
        return send(state.step.inputs, 0, state.kept);
      return state;
  }
}

/** Returns the request in flight. */
export function sendingOf<Inputs, Answer>(
  state: RunState<Inputs, Answer>,
): Extract<Step<Inputs>, { kind: "sending" }> | undefined {
  return state.kind === "running" && state.step.kind === "sending" ? state.step : undefined;
}

/** Returns when the state, or what is shown of it, changes without another event. */
export function nextTickAt<Inputs, Answer>(state: RunState<Inputs, Answer>, now: number): number | undefined {
  if (state.kind === "failure") {
    if (state.retryAt === undefined) return undefined;
    const leftMs = state.retryAt - now;
    return now + (leftMs % 1_000 || Math.min(leftMs, 1_000));
  }
  if (state.kind !== "running") return undefined;
  const { startedAt, step } = state;
  const waitedMs = now - startedAt;
  const shownAt =
    waitedMs < busyShownMs
      ? startedAt + busyShownMs
      : startedAt + Math.max(countShownMs, 1_000 * (Math.floor(waitedMs / 1_000) + 1));
  return step.kind === "settling" ? Math.min(step.sendAt, shownAt) : shownAt;
}

/** A shorter wait shows nothing: words that flash look like a fault. */
export const busyShownMs = 300;
/** From here on the seconds are counted. */
export const countShownMs = 3_000;
