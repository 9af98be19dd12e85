import assert from "node:assert/strict";
import { test } from "node:test";
import { testFacialArea, testModels } from "../../testing/server.ts";
import { ApiError } from "../call/api-error.ts";
import type { EmbeddingModel } from "@faceline/models/catalogue-entry";
import { distance } from "./distance.ts";
import { averaged, onePerPerson } from "./references.ts";
import type { Subject, SubjectFace } from "./subject.ts";

const model = testModels[0] as EmbeddingModel;

test("the mean is of unit embeddings: a longer one counts no more, and the order does not matter", () => {
  const mean = averaged([subject([30, 0]), subject([0, 2])], model) as Subject;
  assert.equal(distance("cosine", mean.faces[0].vector, [1, 1]), 0);
  const other = averaged([subject([0, 2]), subject([30, 0])], model) as Subject;
  assert.equal(distance("cosine", mean.faces[0].vector, other.faces[0].vector), 0);
  assert.equal(mean.faces.length, 1);
});

test("one reference is returned as it is, with all its faces", () => {
  const crowd = subject([1, 0], [0, 1]);
  assert.equal(averaged([crowd], model), crowd);
});

test("references that cancel each other out have no mean: it would be near to everybody by euclidean_l2", () => {
  const error = averaged([subject([1, 0]), subject([-2, 0])], model) as ApiError;
  assert.equal(error.code, "invalid_vector");
});

test("no face was found where one reference has none; a mean of vectors alone has no area", () => {
  const whole = subject([1, 0]);
  whole.faces[0].area = { ...testFacialArea(0), face_found: false };
  const mean = averaged([subject([1, 0]), whole], model) as Subject;
  assert.equal(mean.faces[0].area?.face_found, false);
  const stored = subject([1, 0]);
  stored.faces[0].area = null;
  assert.equal((averaged([stored, stored], model) as Subject).faces[0].area, null);
  assert.equal((averaged([stored, subject([1, 0])], model) as Subject).faces[0].area?.face_found, true);
});

test("candidates with one `person` are one, in the place of the first; the others stay as they are", () => {
  const [ann, bob, other] = [named(0, "ann", [1, 0]), named(1, null, [0, 1]), named(2, "ann", [0, 1])];
  const ranked = onePerPerson([ann, bob, other], model);
  assert.deepEqual(
    ranked.map(({ index, person, references, areas }) => [index, person, references, areas?.length]),
    [
      [0, "ann", 2, 2],
      [1, null, 1, undefined],
    ],
  );
  assert.equal(distance("cosine", (ranked[0]!.subject as Subject).faces[0].vector, [1, 1]), 0);
});

const named = (index: number, person: string | null, ...vectors: number[][]) => ({
  index,
  id: String(index),
  person,
  subject: subject(...vectors) as Subject | ApiError,
});

function subject(...vectors: number[][]): Subject {
  const faces = vectors.map(
    (vector): SubjectFace => ({ vector, area: testFacialArea(0), confidence: 1, quality: null }),
  );
  const ref = { field: "img1", index: 0, label: "img1" };
  return { ref, faces: faces as [SubjectFace, ...SubjectFace[]], build: null };
}
