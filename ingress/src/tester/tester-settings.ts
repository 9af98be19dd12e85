import type { TesterFacts } from "@faceline/web/facts";
import { type HttpSettings, testerIsOn } from "../config.ts";

/** Returns the settings of calls of the public tester: those of all calls, with the lower limits of both. */
export function testerSettings(settings: HttpSettings): HttpSettings {
  const candidates = (max: number): number => Math.min(settings.TESTER_CANDIDATES_MAX, max);
  const deadlineMs = Math.min(settings.TESTER_DEADLINE_MS, settings.DEADLINE_MAX_MS);
  return {
    ...settings,
    BODY_BYTES_MAX: Math.min(settings.TESTER_BODY_BYTES_MAX, settings.BODY_BYTES_MAX),
    IMAGE_BYTES_MAX: Math.min(settings.TESTER_IMAGE_BYTES_MAX, settings.IMAGE_BYTES_MAX),
    IMAGE_PIXELS_MAX: Math.min(settings.TESTER_IMAGE_PIXELS_MAX, settings.IMAGE_PIXELS_MAX),
    CANDIDATE_IMAGES_MAX: candidates(settings.CANDIDATE_IMAGES_MAX),
    CANDIDATE_VECTORS_MAX: candidates(settings.CANDIDATE_VECTORS_MAX),
    DEADLINE_DEFAULT_MS: deadlineMs,
    DEADLINE_MAX_MS: deadlineMs,
    DEADLINE_MIN_MS: Math.min(settings.DEADLINE_MIN_MS, deadlineMs),
  };
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
    requestsPerMinute: settings.TESTER_REQUESTS_PER_MINUTE,
    requestsBurst: settings.TESTER_REQUESTS_BURST,
  };
}
