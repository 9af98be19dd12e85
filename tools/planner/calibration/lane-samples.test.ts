import assert from "node:assert/strict";
import test from "node:test";
import { laneId } from "@faceline/contracts/wire/ids";
import type { Engine } from "@faceline/inference/engine/engine";
import { sampleRuns } from "./lane-samples.ts";

/**
 * The rounds of a measurement of runs of alpha + b s for a batch of b, which are 5 % longer or shorter in
 * turns, those of 4 against the others.
 */
async function roundsOf(alpha: number) {
  const runs = new Map<number, number>();
  const engine = {
    run: async ({ pictures }: { pictures: readonly unknown[] }) => {
      const size = pictures.length;
      const count = runs.get(size) ?? 0;
      runs.set(size, count + 1);
      const factor = (count % 2 === 0) === (size === 4) ? 0.95 : 1.05;
      // Far longer than the CPU time of this, or it would count as that of a run that waited for a core.
      return { facts: { runMs: 1_000 * (alpha + size) * factor } };
    },
  } as unknown as Engine;
  const samples = await sampleRuns({
    engines: [engine],
    lane: laneId("Dlib", "ssd"),
    sizes: [1, 2, 4, 8],
    pictures: [{}] as never,
    rounds: 10,
    roundsMax: 60,
    random: () => 0.5,
    progress: () => {},
  });
  return Math.max(...samples.map(({ round }) => round)) + 1;
}

test("where the useful size is clear, no further round is measured", async () => {
  assert.equal(await roundsOf(20), 10);
});

test("where it is not, rounds of runs alone follow until it is decided, up to a bound", async () => {
  // A batch of 4 has 95.5 % of the throughput of 8, then 94.9 %.
  assert.equal(await roundsOf(0.4), 50);
  assert.equal(await roundsOf(0.45), 60);
});
