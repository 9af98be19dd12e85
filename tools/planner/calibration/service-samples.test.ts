import assert from "node:assert/strict";
import test from "node:test";
import { warmUp } from "./service-samples.ts";

test("the warm-up ends after two rounds that answer hardly more calls than the best one", async () => {
  assert.equal(await roundsOf([100, 130, 150, 148, 152, 500]), 5);
});

test("a single slow round does not end the warm-up", async () => {
  assert.equal(await roundsOf([100, 90, 130, 131, 129, 500]), 5);
});

test("the warm-up is bounded where each round answers more than the one before", async () => {
  assert.equal(await roundsOf(Array.from({ length: 50 }, (_, index) => 2 ** index)), 12);
});

async function roundsOf(answered: number[]): Promise<number> {
  let rounds = 0;
  await warmUp(
    async () => answered[rounds++]!,
    () => {},
  );
  return rounds;
}
