import type { CompareResponse } from "@faceline/contracts/http/compare";
import type { RepresentResponse } from "@faceline/contracts/http/represent";
import type { VerifyResponse } from "@faceline/contracts/http/verify";

export type Replies = { verify: VerifyResponse; represent: RepresentResponse; compare: CompareResponse };
export type Reply = Replies[keyof Replies];

export const isVerify = (reply: Reply): reply is VerifyResponse => "verified" in reply;
export const isCompare = (reply: Reply): reply is CompareResponse => "best_match" in reply;

/**
 * Returns what the service would respond with another threshold: distances do not depend on it. What the
 * service says of the threshold itself is left out.
 */
export function withThreshold(reply: Reply, threshold: number): Reply {
  const changed = { threshold, threshold_false_match_rate: null, warnings: [] };
  if (isVerify(reply)) return { ...reply, ...changed, verified: reply.distance <= threshold };
  if (!isCompare(reply)) return reply;
  const decide = <Result extends { distance: number }>(result: Result): Result => ({
    ...result,
    match: result.distance <= threshold,
  });
  return {
    ...reply,
    ...changed,
    results: reply.results.map((each) => ("error" in each ? each : decide(each))),
    best_match: decide(reply.best_match),
  };
}
