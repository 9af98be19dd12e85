import type { FacelineError } from "./faceline-error.ts";

const backoffFirstMs = 200;
const backoffMaxMs = 5_000;

/**
 * Returns the pause in milliseconds before the next attempt, or undefined when there must be none.
 *
 * Retried are temporary refusals (429 and 503) and broken connections: a request changes nothing in the
 * service, so it may be computed again. The pause is at least what `Retry-After` says, and never as long as
 * the time that is left. `random`, from 0 to 1, spreads the clients that were refused together.
 */
export function retryDelayMs(
  { status, code, retryAfterMs }: Pick<FacelineError, "status" | "code" | "retryAfterMs">,
  { attempt, attemptsMax, remainingMs }: { attempt: number; attemptsMax: number; remainingMs: number },
  random: number,
): number | undefined {
  const retriable = status === 429 || status === 503 || code === "unreachable";
  if (!retriable || attempt >= attemptsMax) return undefined;
  const backoffMs = Math.min(backoffMaxMs, backoffFirstMs * 2 ** (attempt - 1));
  const delayMs =
    retryAfterMs === undefined ? backoffMs * (0.5 + random / 2) : retryAfterMs + backoffMs * random;
  return delayMs < remainingMs ? delayMs : undefined;
}
