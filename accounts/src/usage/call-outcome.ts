import { ErrorCode, errorTable } from "@faceline/contracts/http/errors";
import * as z from "zod";

/** End of a call: answered, the code of its error, or a client that left before the response. */
export const CallOutcome = z.enum(["ok", "client_left", ...ErrorCode.options]);
export type CallOutcome = z.infer<typeof CallOutcome>;

/** `refused`: the caller has to change something (4xx). `failed`: the service could not answer (5xx). */
export const OutcomeKind = z.enum(["answered", "refused", "failed", "left"]);
export type OutcomeKind = z.infer<typeof OutcomeKind>;

export function outcomeKind(outcome: CallOutcome): OutcomeKind {
  if (outcome === "ok") return "answered";
  if (outcome === "client_left") return "left";
  return errorTable[outcome].status < 500 ? "refused" : "failed";
}
