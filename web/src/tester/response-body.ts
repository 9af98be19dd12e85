import type { CompareResponse } from "@faceline/contracts/http/compare";
import type { RepresentResponse } from "@faceline/contracts/http/represent";
import type { VerifyResponse } from "@faceline/contracts/http/verify";

export type ResponseBodies = {
  verify: VerifyResponse;
  represent: RepresentResponse;
  compare: CompareResponse;
};
export type ResponseBody = ResponseBodies[keyof ResponseBodies];

/** GET /tester/sample-answer: the answer for two samples, with its `Server-Timing`. */
export type StoredAnswer = { samples: readonly [string, string]; response: VerifyResponse; timing: string };

export const isVerify = (body: ResponseBody): body is VerifyResponse => "verified" in body;
export const isCompare = (body: ResponseBody): body is CompareResponse => "best_match" in body;

/**
 * Returns what the service would respond with another threshold: distances do not depend on it. What the
 * service says of the threshold itself is left out.
 */
export function withThreshold(body: ResponseBody, threshold: number): ResponseBody {
  const changed = { threshold, threshold_false_match_rate: null, warnings: [] };
  if (isVerify(body)) return { ...body, ...changed, verified: body.distance <= threshold };
  if (!isCompare(body)) return body;
  const decide = <Result extends { distance: number }>(result: Result): Result => ({
    ...result,
    match: result.distance <= threshold,
  });
  return {
    ...body,
    ...changed,
    results: body.results.map((each) => ("error" in each ? each : decide(each))),
    best_match: decide(body.best_match),
  };
}
