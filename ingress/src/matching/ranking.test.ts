import assert from "node:assert/strict";
import { test } from "node:test";
import { testFacialArea } from "../../testing/server.ts";
import { ApiError } from "../call/api-error.ts";
import { type RankedCandidate, rankCandidates } from "./ranking.ts";
import type { Subject, SubjectFace } from "./subject.ts";

/** A vector, which no image was looked at for. */
const source: SubjectFace = { vector: [0], area: null, confidence: 1, quality: null };
const facial_areas = [testFacialArea(0)];
const rule = {
  metric: "euclidean",
  threshold: 2,
  falseMatchRate: (distance: number, references: number) => (distance * references) / 10,
} as const;

test("/compare: results in the order of the request, best_match the least distance", () => {
  const { results, best_match } = rankCandidates(
    source,
    [withFaces("a", [3]), withFaces("b", [1]), withFaces("c", [2])],
    rule,
  );
  assert.deepEqual(results, [
    {
      index: 0,
      id: "a",
      person: null,
      distance: 3,
      false_match_rate: 0.3,
      match: false,
      face_found: true,
      facial_areas,
      references: 1,
    },
    {
      index: 1,
      id: "b",
      person: null,
      distance: 1,
      false_match_rate: 0.1,
      match: true,
      face_found: true,
      facial_areas,
      references: 1,
    },
    // On the threshold is a match.
    {
      index: 2,
      id: "c",
      person: null,
      distance: 2,
      false_match_rate: 0.2,
      match: true,
      face_found: true,
      facial_areas,
      references: 1,
    },
  ]);
  assert.deepEqual(best_match, results[1]);
});

test("/compare: of equal distances the first is the best match, and it need not match", () => {
  const { best_match } = rankCandidates(
    source,
    [withFaces("a", [9]), withFaces("b", [5]), withFaces("c", [-5])],
    rule,
  );
  assert.deepEqual(best_match, {
    index: 1,
    id: "b",
    person: null,
    distance: 5,
    false_match_rate: 0.5,
    match: false,
    face_found: true,
    facial_areas,
    references: 1,
  });
});

test("/compare: of a candidate image with several faces the nearest counts", () => {
  const { best_match } = rankCandidates(source, [withFaces("a", [9], [1], [4])], rule);
  assert.deepEqual([best_match.distance, best_match.facial_areas], [1, [testFacialArea(1)]]);
});

test("/compare: a candidate that fails has error and detail in place of distance", () => {
  const { results, best_match } = rankCandidates(source, [failed("a"), withFaces("b", [1])], rule);
  assert.deepEqual(results[0], {
    index: 0,
    id: "a",
    person: null,
    error: "no_face_detected",
    detail: "No face.",
  });
  assert.equal(best_match.id, "b");
});

test("/compare: when all candidates fail, the call fails with the error of the first", () => {
  assert.throws(() => rankCandidates(source, [failed("a"), failed("b")], rule), { code: "no_face_detected" });
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
  assert.deepEqual(one, [
    {
      index: 0,
      id: "a",
      person: null,
      distance: 0,
      false_match_rate: null,
      match: false,
      face_found: false,
      facial_areas: [whole(source).area],
      references: 1,
    },
    {
      index: 1,
      id: "b",
      person: null,
      distance: 1,
      false_match_rate: 0.1,
      match: true,
      face_found: true,
      facial_areas,
      references: 1,
    },
  ]);
  const [other] = rankCandidates(whole(source), [withFaces("b", [1])], rule).results;
  assert.deepEqual(other, {
    index: 1,
    id: "b",
    person: null,
    distance: 1,
    false_match_rate: null,
    match: false,
    face_found: true,
    facial_areas,
    references: 1,
  });
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

const failed = (id: string): RankedCandidate => ({
  ...named(id),
  subject: new ApiError("no_face_detected", "No face."),
});

function withFaces(id: string, ...vectors: number[][]): RankedCandidate {
  const faces = vectors.map(
    (vector, i): SubjectFace => ({ vector, area: testFacialArea(i), confidence: 1, quality: null }),
  );
  const ref = { field: "candidates", label: id };
  return { ...named(id), subject: { ref, faces: faces as [SubjectFace, ...SubjectFace[]], build: null } };
}
