import assert from "node:assert/strict";
import test from "node:test";
import { Random } from "@faceline/simulation/random";
import type { RunSample } from "./lane-profile.ts";
import { throughputShares, usefulSizeOf } from "./useful-size.ts";

const sizes = [1, 2, 4, 8];

/** Of runs that take alpha + b ms for a batch of b. The machine's pace may drift from round to round. */
function samplesOf({ alpha, noise, rounds, seed = 1, drift = 0 }: Machine): RunSample[] {
  const random = new Random(seed);
  return Array.from({ length: rounds }, (_, round) => {
    const pace = 1 + (drift * round) / rounds;
    return sizes.map((size) => {
      const ms = pace * (alpha + size) * (1 + noise * (2 * random.next() - 1));
      return { round, size, besides: 0, ms, cpuMs: ms };
    });
  }).flat();
}

/** With this alpha a batch of 4 has exactly this share of the throughput of 8. */
const alphaOf = (shareOf4: number): number => (1 - shareOf4) / (shareOf4 / 4 - 1 / 8);

test("the useful size is the smallest that reaches 95 % of the best throughput", () => {
  const exact = (alpha: number) => usefulSizeOf(samplesOf({ alpha, noise: 0, rounds: 2 }));
  // 8 pictures in 28 ms are 286 a second, 4 in 24 ms 167.
  assert.deepEqual(exact(20), { size: 8, undecided: [] });
  assert.deepEqual(exact(alphaOf(0.97)), { size: 4, undecided: [] });
  assert.deepEqual(exact(0), { size: 1, undecided: [] });
});

test("repeats agree on a size that is a hundredth above or below 95 %, after as many rounds as decide it", () => {
  for (const [share, expected] of [
    [0.96, 4],
    [0.94, 8],
  ] as const) {
    for (let seed = 1; seed <= 200; seed++) {
      const { size, undecided } = usefulSizeOf(
        samplesOf({ alpha: alphaOf(share), noise: 0.05, rounds: 100, seed }),
      );
      assert.deepEqual([size, undecided], [expected, []], `share ${share}, seed ${seed}`);
    }
  }
});

test("what the samples leave undecided gives the larger size, and is named", () => {
  const few = { alpha: alphaOf(0.95), noise: 0.1, rounds: 20 };
  for (let seed = 1; seed <= 20; seed++) {
    const { size, undecided } = usefulSizeOf(samplesOf({ ...few, seed }));
    assert.deepEqual([size, undecided.includes(4)], [8, true], `seed ${seed}`);
  }
  assert.deepEqual(usefulSizeOf(samplesOf({ ...few, rounds: 1 })).size, 8, "one round has no interval");
});

test("a machine that becomes slower during the measurement widens no interval", () => {
  const machine = { alpha: alphaOf(0.96), noise: 0.02, rounds: 40 };
  const [steady, slower] = [0, 1].map(
    (drift) => throughputShares(samplesOf({ ...machine, drift })).find(({ size }) => size === 4)!,
  );
  assert.ok(Math.abs(slower!.share - steady!.share) < 0.002, `${slower!.share} and ${steady!.share}`);
  assert.ok(slower!.plusMinus < 1.3 * steady!.plusMinus, `${slower!.plusMinus} and ${steady!.plusMinus}`);
});

test("a run beside others does not count", () => {
  const samples = samplesOf({ alpha: 0, noise: 0, rounds: 2 });
  const beside = samples.map((each) => ({ ...each, besides: 1, ms: 1_000 }));
  assert.deepEqual(usefulSizeOf([...samples, ...beside]), { size: 1, undecided: [] });
});

/** `noise`: runs vary by so much either way. `drift`: how much slower the last round is. */
type Machine = { alpha: number; noise: number; rounds: number; seed?: number; drift?: number };
