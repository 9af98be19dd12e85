import assert from "node:assert/strict";
import { test } from "node:test";
import { driftBetween } from "./drift.ts";

test("drift is the root mean square distance in pixels of the chip, whatever the size of the face", () => {
  const first = {
    landmarks: [
      { x: 0, y: 0 },
      { x: 10, y: 10 },
    ],
  };
  const second = {
    landmarks: [
      { x: 6, y: 8 },
      { x: 10, y: 10 },
    ],
  };
  const halfSize = { a: 0, b: -2, c: 2, d: 0, e: 5, f: 5 };
  assert.equal(driftBetween(first, { ...second, chipToImage: halfSize }), Math.sqrt(50) / 2);
  assert.equal(driftBetween(first, { ...first, chipToImage: halfSize }), 0);
});
