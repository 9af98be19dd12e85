import assert from "node:assert/strict";
import { test } from "node:test";
import { testFacialArea } from "../../testing/server.ts";
import { ApiError } from "../call/api-error.ts";
import { type RankedCandidate, rankCandidates } from "./ranking.ts";
import type { SubjectFace } from "./subject.ts";

const rule = { metric: "euclidean", threshold: 2 } as const;

test("/compare: results in the order of the request, best_match the least distance", () => {
  const { results, best_match } = rankCandidates(
    [0],
    [withFaces("a", [3]), withFaces("b", [1]), withFaces("c", [2])],
    rule,
  );
  assert.deepEqual(results, [
    { index: 0, distance: 3, id: "a", match: false },
    { index: 1, distance: 1, id: "b", match: true },
    // On the threshold is a match.
    { index: 2, distance: 2, id: "c", match: true },
  ]);
  assert.deepEqual(best_match, results[1]);
});

test("/compare: of equal distances the first is the best match, and it need not match", () => {
  const { best_match } = rankCandidates(
    [0],
    [withFaces("a", [9]), withFaces("b", [5]), withFaces("c", [-5])],
    rule,
  );
  assert.deepEqual(best_match, { index: 1, distance: 5, id: "b", match: false });
});

test("/compare: of a candidate image with several faces the nearest counts", () => {
  const { best_match } = rankCandidates([0], [withFaces("a", [9], [1], [4])], rule);
  assert.equal(best_match.distance, 1);
});

test("/compare: a candidate that fails has error and detail in place of distance", () => {
  const { results, best_match } = rankCandidates([0], [failed("a"), withFaces("b", [1])], rule);
  assert.deepEqual(results[0], { index: 0, id: "a", error: "no_face_detected", detail: "No face." });
  assert.equal(best_match.id, "b");
});

test("/compare: when all candidates fail, the call fails with the error of the first", () => {
  assert.throws(() => rankCandidates([0], [failed("a"), failed("b")], rule), { code: "no_face_detected" });
});

const failed = (id: string): RankedCandidate => ({
  id,
  subject: new ApiError("no_face_detected", "No face."),
});

function withFaces(id: string, ...vectors: number[][]): RankedCandidate {
  const faces = vectors.map((vector, i): SubjectFace => ({ vector, area: testFacialArea(i), confidence: 1 }));
  const ref = { field: "candidates", label: id };
  return { id, subject: { ref, faces: faces as [SubjectFace, ...SubjectFace[]], build: null } };
}
