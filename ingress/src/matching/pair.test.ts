import assert from "node:assert/strict";
import { test } from "node:test";
import { testFacialArea } from "../../testing/server.ts";
import { decidingPair } from "./pair.ts";
import type { Subject, SubjectFace } from "./subject.ts";

test("/verify, crowds: every vector is read once, however many pairs there are", () => {
  let reads = 0;
  const counted = (vector: number[]) =>
    new Proxy(vector, {
      get(target, name) {
        if (name === "0") reads++;
        return Reflect.get(target, name);
      },
    });
  const crowd = (field: string) =>
    subject(field, ...Array.from({ length: 10 }, (_, i) => counted([1, i * 0.1])));
  assert.equal(decidingPair("best_pair", "cosine", crowd("img1"), crowd("img2")).distance, 0);
  assert.equal(reads, 20);
});

test("/verify, equal pairs: the larger faces count", () => {
  const pair = decidingPair("best_pair", "euclidean", subject("img1", [0], [2]), subject("img2", [1], [3]));
  assert.deepEqual([pair.distance, pair.first.vector, pair.second.vector], [1, [0], [1]]);
});

function subject(field: string, ...vectors: number[][]): Subject {
  const faces = vectors.map(
    (vector, i): SubjectFace => ({ vector, area: testFacialArea(i), confidence: 1, quality: null }),
  );
  return { ref: { field, label: field }, faces: faces as [SubjectFace, ...SubjectFace[]], build: null };
}
