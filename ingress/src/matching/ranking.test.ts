import assert from "node:assert/strict";
import { test } from "node:test";
import { testFacialArea } from "../../testing/server.ts";
import { type RankedCandidate, rankCandidates } from "./ranking.ts";
import type { Subject, SubjectFace } from "./subject.ts";

/** A vector, which no image was looked at for. */
const source: SubjectFace = { vector: [0], area: null, confidence: 1, quality: null };
const rule = {
  metric: "euclidean",
  threshold: 2,
  falseMatchRate: (distance: number, references: number) => (distance * references) / 10,
} as const;

test("/compare: results in the order of the request, best_match the least distance", () => {
  const candidates = [withFaces("a", [3]), withFaces("b", [1]), withFaces("c", [2])];
  const { results, best_match } = rankCandidates(source, candidates, rule);
  // On the threshold is a match.
  assert.deepEqual(results, [compared("a", 3, false), compared("b", 1, true), compared("c", 2, true)]);
  assert.deepEqual(best_match, results[1]);
});

test("/compare: of equal distances the first is the best match, and it need not match", () => {
  const candidates = [withFaces("a", [9]), withFaces("b", [5]), withFaces("c", [-5])];
  assert.deepEqual(rankCandidates(source, candidates, rule).best_match, compared("b", 5, false));
});

test("/compare: of a candidate image with several faces the nearest counts", () => {
  const { best_match } = rankCandidates(source, [withFaces("a", [9], [1], [4])], rule);
  assert.deepEqual([best_match.distance, best_match.facial_areas], [1, [testFacialArea(1)]]);
});

test("/compare: nothing matches, and no rate is known, where no face was found, in the source or in a candidate", () => {
  const whole = (face: SubjectFace): SubjectFace => ({
    ...face,
    area: { ...testFacialArea(0), face_found: false },
    confidence: 0,
  });
  const withoutFace = withFaces("a", [0]);
  const { faces } = withoutFace.subject as Subject;
  faces[0] = whole(faces[0]);
  const one = rankCandidates(source, [withoutFace, withFaces("b", [1])], rule).results;
  const unfound = { false_match_rate: null, face_found: false, facial_areas: [whole(source).area] };
  assert.deepEqual(one, [{ ...compared("a", 0, false), ...unfound }, compared("b", 1, true)]);
  const [other] = rankCandidates(whole(source), [withFaces("b", [1])], rule).results;
  assert.deepEqual(other, { ...compared("b", 1, false), false_match_rate: null });
});

test("/compare: the rate of a person is that of a mean of as many references", () => {
  const { results } = rankCandidates(source, [{ ...withFaces("a", [1]), references: 3 }], rule);
  assert.deepEqual(
    results.map((each) => "distance" in each && each.false_match_rate),
    [0.3],
  );
});

/** Candidates a, b and c, of no person. */
const named = (id: string) => ({ index: id.charCodeAt(0) - 97, id, person: null, references: 1 });

/** The result of a candidate of one face. */
const compared = (id: string, distance: number, match: boolean) => ({
  ...named(id),
  distance,
  false_match_rate: distance / 10,
  match,
  face_found: true,
  facial_areas: [testFacialArea(0)],
});

function withFaces(id: string, ...vectors: number[][]): RankedCandidate {
  const faces = vectors.map(
    (vector, i): SubjectFace => ({ vector, area: testFacialArea(i), confidence: 1, quality: null }),
  );
  const ref = { field: "candidates", label: id };
  return { ...named(id), subject: { ref, faces: faces as [SubjectFace, ...SubjectFace[]], build: null } };
}
