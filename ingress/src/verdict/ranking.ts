import type { ComparedCandidate, FailedCandidate } from "@faceline/contracts/http/compare";
import type { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import { Refusal } from "../refusal.ts";
import { distanceFrom, type Numbers } from "./distance.ts";
import type { Subject } from "./subject.ts";

/**
 * Holds every candidate against one face, in the order of the request. A candidate image with several faces counts with
 * its nearest; one that failed says why. When all have failed the call has, for the first one's reason.
 */
export function ranking(from: Numbers, candidates: Contender[], rule: Rule): Ranking {
  const distanceTo = distanceFrom(rule.metric, from);
  const results = candidates.map(({ id, subject }, index): ComparedCandidate | FailedCandidate => {
    if (subject instanceof Refusal) return { index, id, error: subject.code, detail: subject.message };
    const distance = Math.min(...subject.faces.map(({ vector }) => distanceTo(vector)));
    return { index, distance, id, match: distance <= rule.threshold };
  });

  const compared = results.filter((result): result is ComparedCandidate => "distance" in result);
  if (compared.length === 0) throw firstRefusal(candidates.map(({ subject }) => subject));
  const best_match = compared.reduce((best, next) => (next.distance < best.distance ? next : best));
  return { results, best_match };
}

/** Why a comparison fails whose candidates have all failed. */
export function firstRefusal(parts: unknown[]): Error {
  return parts.find((part) => part instanceof Refusal) ?? new Error("a comparison without candidates");
}

export type Contender = { id: string; subject: Subject | Refusal };
export type Rule = { metric: DistanceMetric; threshold: number };
export type Ranking = { results: (ComparedCandidate | FailedCandidate)[]; best_match: ComparedCandidate };
