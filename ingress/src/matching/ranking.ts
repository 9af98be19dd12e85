import type { ComparedCandidate, FailedCandidate } from "@faceline/contracts/http/compare";
import type { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import { ApiError } from "../call/api-error.ts";
import { distanceFrom } from "./distance.ts";
import { faceFound, type Subject, type SubjectFace } from "./subject.ts";

/**
 * Compares every candidate with one face. Returns the results in the order of the request and the best match,
 * the candidate at the smallest distance, whether or not it is within the threshold. For a candidate image
 * with several faces, the nearest counts. If either side has no face, nothing matches, and there is no false
 * match rate. If every candidate failed, throws the error of the first.
 */
export function rankCandidates(from: SubjectFace, candidates: RankedCandidate[], rule: MatchRule): Ranking {
  const distanceTo = distanceFrom(rule.metric, from.vector);
  const results = candidates.map(({ subject, references, areas, ...ids }): Result => {
    if (subject instanceof ApiError) return { ...ids, error: subject.code, detail: subject.message };
    const distances = subject.faces.map(({ vector }) => distanceTo(vector));
    const distance = Math.min(...distances);
    const found = faceFound(subject);
    const isOfFaces = found !== false && from.area?.face_found !== false;
    return {
      ...ids,
      distance,
      false_match_rate: isOfFaces ? rule.falseMatchRate(distance, references) : null,
      match: isOfFaces && distance <= rule.threshold,
      face_found: found,
      facial_areas: areas ?? [subject.faces[distances.indexOf(distance)]!.area],
      references,
    };
  });

  const compared = results.filter((result): result is ComparedCandidate => "distance" in result);
  if (compared.length === 0) throw firstError(candidates.map(({ subject }) => subject));
  const best_match = compared.reduce((best, next) => (next.distance < best.distance ? next : best));
  return { results, best_match };
}

/** Returns the error of a comparison whose candidates have all failed: that of the first one. */
export function firstError(parts: unknown[]): Error {
  return parts.find((part) => part instanceof ApiError) ?? new Error("a comparison without candidates");
}

/** A candidate, or the references of a person: see `onePerPerson`. */
export type RankedCandidate = {
  index: number;
  id: string;
  person: string | null;
  subject: Subject | ApiError;
  references: number;
  /** The faces of several references, if the subject has one for all of them. */
  areas?: SubjectFace["area"][];
};
export type MatchRule = {
  metric: DistanceMetric;
  threshold: number;
  falseMatchRate: (distance: number, references: number) => number | null;
};
type Result = ComparedCandidate | FailedCandidate;
type Ranking = { results: Result[]; best_match: ComparedCandidate };
