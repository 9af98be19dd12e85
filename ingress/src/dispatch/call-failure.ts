import type { Outcome } from "@faceline/contracts/wire/outcome";
import { ApiError } from "../call/api-error.ts";

/**
 * Returns the error of a request by the outcome of one of its tasks, or undefined if the request can
 * continue: it is answered as a whole, and only an input at fault may fail alone.
 */
export function callFailure(outcome: Outcome): ApiError | undefined {
  switch (outcome.kind) {
    case "faces":
    case "rejected":
      return undefined;
    case "shed": {
      const { reason, retryAfterMs } = outcome;
      if (reason === "queue_too_long")
        return new ApiError("queue_full", "Too many requests are waiting.", { retryAfterMs });
      return new ApiError("queue_timeout", "The request could not be served in time.", { retryAfterMs });
    }
    case "expired":
      return new ApiError("upstream_timeout", "The deadline passed before the images were processed.");
    case "failed":
      return new ApiError("upstream_failed", "The images could not be processed.");
  }
}
