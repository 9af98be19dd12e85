import assert from "node:assert/strict";
import { test } from "node:test";
import { distances } from "../../testing/distances.ts";
import { mulberry32 } from "@faceline/contracts/testing/mulberry32";
import { joinEmbeddings } from "./join-embeddings.ts";

const random = mulberry32(7);
const embedding = (length: number, norm: number) => {
  const numbers = Float32Array.from({ length }, () => random() - 0.5);
  const factor = norm / Math.hypot(...numbers);
  return numbers.map((number) => factor * number);
};

test("the distance of joined embeddings is the weighted mean of the distances of their parts", () => {
  const weights = [0.87, 0.13];
  for (let round = 0; round < 20; round++) {
    const parts = [
      [embedding(128, 1.4), embedding(128, 1.6)],
      [embedding(192, 1), embedding(192, 1)],
    ];
    const expected = parts.reduce((sum, [a, b], i) => sum + weights[i]! * distances.cosine(a!, b!), 0);
    const joined = joinEmbeddings(parts, weights);
    assert.ok(Math.abs(distances.cosine(joined[0]!, joined[1]!) - expected) < 1e-6);
    for (const each of joined) {
      assert.equal(each.length, 320);
      assert.ok(Math.abs(Math.hypot(...each) - 1) < 1e-6);
    }
    assert.ok(parts.flat().every((part) => part.every((number) => number === 0)));
  }
});

test("embeddings of a single model stay as they are", () => {
  const parts = [[embedding(128, 1.4)]];
  assert.equal(joinEmbeddings(parts, [1]), parts[0]);
});

test("an embedding of length 0 gives numbers that are not finite, not a distance", () => {
  const [joined] = joinEmbeddings([[new Float32Array(3)], [embedding(3, 1)]], [0.5, 0.5]);
  assert.ok(Number.isNaN(joined![0]));
});
