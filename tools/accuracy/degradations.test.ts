import assert from "node:assert/strict";
import { test } from "node:test";
import { withNoise } from "./degradations.ts";

test("noise has the requested standard deviation and no bias, and is the same every time", () => {
  const grey = new Uint8Array(30_001).fill(128);
  const noisy = withNoise(grey, 20);
  const mean = noisy.reduce((sum, value) => sum + value, 0) / noisy.length;
  const sd = Math.sqrt(noisy.reduce((sum, value) => sum + (value - mean) ** 2, 0) / noisy.length);
  assert.ok(Math.abs(mean - 128) < 0.5, `mean ${mean}`);
  assert.ok(Math.abs(sd - 20) < 0.5, `sd ${sd}`);
  assert.ok(Buffer.from(noisy).equals(Buffer.from(withNoise(grey, 20))));
});

test("black and white stay within the range of a byte", () => {
  const noisy = withNoise(new Uint8Array(1_000), 20);
  assert.ok(noisy.some((value) => value === 0) && noisy.every((value) => value < 128));
});
