import { visitorLimits } from "../limits/visitor-limiter.ts";
import type { TesterFacts } from "@faceline/web/facts";
import { type HttpSettings, testerIsOn } from "../config.ts";

const MiB = 1024 * 1024;

/** Limits of a request of the tester: photos from a phone, which the page has made smaller. */
const callLimits = {
  BODY_BYTES_MAX: 8 * MiB,
  IMAGE_BYTES_MAX: 2 * MiB,
  IMAGE_PIXELS_MAX: 4_000_000,
  CANDIDATE_IMAGES_MAX: 8,
  CANDIDATE_VECTORS_MAX: 8,
  /** Deadline, and the time that the body of a call may take to arrive. */
  DEADLINE_MAX_MS: 15_000,
};

/** Bytes per second of the bodies of all visitors together, per process: a fourth of those of one team. */
export const visitorBodyBytesPerSecond = 8 * MiB;

/** Returns the settings of calls of the public tester: those of all calls, with the lower limits of both. */
export function testerSettings(settings: HttpSettings): HttpSettings {
  const limits = { ...callLimits };
  for (const name of Object.keys(limits) as (keyof typeof limits)[]) {
    limits[name] = Math.min(limits[name], settings[name]);
  }
  return { ...settings, ...limits, DEADLINE_DEFAULT_MS: limits.DEADLINE_MAX_MS };
}

/** Returns what the home page says of the tester. */
export function testerFacts(settings: HttpSettings): TesterFacts {
  const limits = testerSettings(settings);
  return {
    on: testerIsOn(settings),
    bodyBytes: limits.BODY_BYTES_MAX,
    imageBytes: limits.IMAGE_BYTES_MAX,
    imagePixels: limits.IMAGE_PIXELS_MAX,
    candidates: limits.CANDIDATE_IMAGES_MAX,
    deadlineMs: limits.DEADLINE_MAX_MS,
    requestsPerMinute: visitorLimits.requestsPerMinute,
    requestsBurst: visitorLimits.requestsBurst,
  };
}
