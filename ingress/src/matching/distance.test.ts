import assert from "node:assert/strict";
import { mulberry32 } from "@faceline/contracts/testing/mulberry32";
import { test } from "node:test";
import { distance, distanceFrom, unitVector } from "./distance.ts";

// Lengths from 1 to 4096, drawn from a seed that is printed. The reference uses dot products and norms
// without scaling.
test("distances agree with a float64 reference over 10,000 random pairs", () => {
  const seed = Number(process.env["SEED"] ?? 20_261);
  const random = mulberry32(seed);
  for (let i = 0; i < 10_000; i++) {
    // Mostly short, because long vectors take most of the time.
    const length = 1 + Math.floor(4096 * random() ** 6);
    const [a, b] = [drawn(random, length), drawn(random, length)];
    const similarity = dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
    const difference = a.map((value, i) => value - b[i]!);
    const expected = {
      cosine: 1 - similarity,
      euclidean: Math.sqrt(dot(difference, difference)),
      euclidean_l2: Math.sqrt(Math.max(0, 2 - 2 * similarity)),
    };
    for (const metric of ["cosine", "euclidean", "euclidean_l2"] as const) {
      const off = Math.abs(distance(metric, a, b) - expected[metric]);
      assert.ok(off <= 0.5e-6 + 1e-7, `seed ${seed}, pair ${i}, ${metric}: off by ${off}`);
    }
  }
});

test("a distance has 6 decimals and is symmetric", () => {
  assert.equal(distance("euclidean", [0], [0.12345649]), 0.123456);
  assert.equal(distance("euclidean", [0], [0.12345651]), 0.123457);
  assert.equal(distance("cosine", [1, 2], [3, 1]), distance("cosine", [3, 1], [1, 2]));
});

test("distanceFrom: a vector does not affect the distance of the next one", () => {
  const vectors = [[3, 4], [0, 0], [1e300, 1e300], Float32Array.of(1, 2), [3, 4]];
  for (const metric of ["cosine", "euclidean", "euclidean_l2"] as const) {
    for (const from of vectors) {
      const to = distanceFrom(metric, from);
      assert.deepEqual(
        vectors.map(to),
        vectors.map((vector) => distance(metric, from, vector)),
      );
    }
  }
});

test("the distance of parallel vectors is 0, never -0 or less; of opposite vectors 2", () => {
  assert.ok(Object.is(distance("cosine", [0.1, 0.2, 0.3], [0.3, 0.6, 0.9]), 0));
  assert.equal(distance("cosine", [1, 2], [-2, -4]), 2);
  assert.equal(distance("euclidean_l2", [1, 2], [-2, -4]), 2);
});

test("a vector of zeros has cosine distance 1 from every vector, and stays zero when normalized", () => {
  assert.equal(distance("cosine", [0, 0], [1, 2]), 1);
  assert.equal(distance("cosine", [0, 0], [0, 0]), 1);
  assert.equal(distance("euclidean_l2", [0, 0], [3, 4]), 1);
  assert.equal(distance("euclidean", [0, 0], [3, 4]), 5);
});

test("a distance is finite, however large or small the numbers are", () => {
  assert.equal(distance("cosine", [1e300, 0], [1e300, 1e300]), 0.292893);
  assert.equal(distance("cosine", [5e-324, 0], [0, 5e-324]), 1);
  assert.equal(distance("euclidean_l2", [1e-200, 0], [-1e200, 0]), 2);
  assert.equal(distance("euclidean", [1e200], [-1e200]), 2e200);
  assert.equal(distance("euclidean", [1.7e308], [-1.7e308]), Number.MAX_VALUE);
});

test("a unit vector has length 1", () => {
  assert.deepEqual([...unitVector([3, 4])], [0.6, 0.8]);
});

function dot(a: number[], b: number[]): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}

const drawn = (random: () => number, length: number): number[] =>
  Array.from({ length }, () => random() * 2 - 1);
