import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusal } from "../refusal.ts";
import { areaOf } from "../stage.ts";
import { type Contender, ranking } from "./ranking.ts";
import type { SeenFace } from "./subject.ts";

const rule = { metric: "euclidean", threshold: 2 } as const;

test("/compare: results in the order of the request, best_match the least distance", () => {
  const { results, best_match } = ranking([0], [seen("a", [3]), seen("b", [1]), seen("c", [2])], rule);
  assert.deepEqual(results, [
    { index: 0, distance: 3, id: "a", match: false },
    { index: 1, distance: 1, id: "b", match: true },
    // On the threshold is a match.
    { index: 2, distance: 2, id: "c", match: true },
  ]);
  assert.deepEqual(best_match, results[1]);
});

test("/compare: of equal distances the first is the best match, and it need not match", () => {
  const { best_match } = ranking([0], [seen("a", [9]), seen("b", [5]), seen("c", [-5])], rule);
  assert.deepEqual(best_match, { index: 1, distance: 5, id: "b", match: false });
});

test("/compare: a candidate image with several faces counts with its nearest", () => {
  const { best_match } = ranking([0], [seen("a", [9], [1], [4])], rule);
  assert.equal(best_match.distance, 1);
});

test("/compare: a candidate that fails has error and detail in place of distance", () => {
  const { results, best_match } = ranking([0], [failed("a"), seen("b", [1])], rule);
  assert.deepEqual(results[0], { index: 0, id: "a", error: "no_face_detected", detail: "No face." });
  assert.equal(best_match.id, "b");
});

test("/compare: when all candidates fail, the call does, for the first one's reason", () => {
  assert.throws(() => ranking([0], [failed("a"), failed("b")], rule), { code: "no_face_detected" });
});

const failed = (id: string): Contender => ({ id, subject: new Refusal("no_face_detected", "No face.") });

function seen(id: string, ...vectors: number[][]): Contender {
  const faces = vectors.map((vector, i): SeenFace => ({ vector, area: areaOf(i), confidence: 1 }));
  const place = { field: "candidates", called: id };
  return { id, subject: { place, faces: faces as [SeenFace, ...SeenFace[]] } };
}
