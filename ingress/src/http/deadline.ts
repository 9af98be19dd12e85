import { Refusal } from "../refusal.ts";
import type { HttpSettings } from "../settings.ts";

/** How long the caller waits: `x-request-timeout-ms`, or the default. */
export function waitsMs(given: string | string[] | undefined, settings: HttpSettings): number {
  if (given === undefined) return settings.DEADLINE_DEFAULT_MS;
  const ms = typeof given === "string" && /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN;
  if (ms >= settings.DEADLINE_MIN_MS && ms <= settings.DEADLINE_MAX_MS) return ms;
  const { DEADLINE_MIN_MS: min, DEADLINE_MAX_MS: max } = settings;
  const detail = `x-request-timeout-ms must be a whole number from ${min} to ${max}.`;
  throw new Refusal("invalid_request", detail, { field: "x-request-timeout-ms" });
}
