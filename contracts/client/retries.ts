import type { FacelineError } from "./failure.ts";

const backOffFirstMs = 200;
const backOffMaxMs = 5_000;

/**
 * How long to wait before a call is made again; undefined: not at all. Made again is what was refused for now (429 and
 * 503 have done nothing), and what broke on the way: every call is a GET or has an Idempotency-Key. Never after a pause
 * that would outlast the call. `luck` is from 0 to 1, and spreads those who were refused together.
 */
export function pauseBefore(
  { status, code, retryAfterMs }: Pick<FacelineError, "status" | "code" | "retryAfterMs">,
  { tries, triesMax, leftMs }: { tries: number; triesMax: number; leftMs: number },
  luck: number,
): number | undefined {
  const refusedForNow = status === 429 || status === 503;
  if ((!refusedForNow && code !== "unreachable") || tries >= triesMax) return undefined;
  const backOffMs = Math.min(backOffMaxMs, backOffFirstMs * 2 ** (tries - 1));
  // What the service asks for is the least; luck only adds to it.
  const pauseMs = retryAfterMs === undefined ? backOffMs * (0.5 + luck / 2) : retryAfterMs + backOffMs * luck;
  return pauseMs < leftMs ? pauseMs : undefined;
}
