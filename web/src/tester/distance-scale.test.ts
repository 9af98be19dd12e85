import assert from "node:assert/strict";
import { test } from "node:test";
import { scaleEnd } from "./distance-scale.ts";

test("a scale holds twice the model's own threshold, and each distance with room to its right", () => {
  assert.equal(scaleEnd([0.01], { own: 0.07, chosen: 0.07 }), 0.14);
  assert.equal(scaleEnd([0.01, 1], { own: 0.07, chosen: 0.07 }), 1.1);
});

test("it stays still while a threshold on it moves, and holds one beyond its end", () => {
  const ends = [0, 0.01, 0.14, 1].map((chosen) => scaleEnd([0.01], { own: 0.07, chosen }));
  assert.deepEqual(ends, [0.14, 0.14, 0.14, 1]);
});

test("two equal images at a threshold of 0 have a scale too", () => {
  assert.equal(scaleEnd([0], { own: 0, chosen: 0 }), 1);
});
