import assert from "node:assert/strict";
import test from "node:test";
import { seedsOf } from "@faceline/batcher/testing/seeds";
import { type Arrival, merge, poisson } from "./arrivals.ts";
import { goodP99, goodShare } from "./metrics.ts";
import { Random } from "./random.ts";
import { hops, workers } from "./reference-pool.ts";
import { startAt } from "./scenario.ts";
import { Simulation } from "./simulation.ts";

// One tenant sends images that are heavy to decode: calls of 51 images and of one, or of two, 50 of each a
// second, the rate limit of a team. Four others send usual photographs, each a tenth of what the workers can
// do. Costs are those of images/src/decoding-cost.ts. Replay one seed with SEED=417.

const forMs = 30_000;
const victims = ["a", "b", "c", "d"];
/** Instant from which the time of a unit of cost is known. */
const settledAt = startAt + 5_000;

const cpu = { alpha: 5, beta: 35, sizes: [1, 2, 4], prepare: { alpha: 2, beta: 8 } };
const gpu = { alpha: 20, beta: 1, prepare: { alpha: 2, beta: 5 } };
const pools = {
  "two CPU workers": { pool: workers(2, cpu), perSecond: 50, timeBudgetMs: 8_000 },
  "four CPU workers": { pool: workers(4, cpu), perSecond: 100, timeBudgetMs: 8_000 },
  "two GPU workers": { pool: workers(2, gpu), perSecond: 360, timeBudgetMs: 1_000 },
  "one GPU worker": { pool: workers(1, gpu), perSecond: 180, timeBudgetMs: 1_000 },
};
type Pool = (typeof pools)[keyof typeof pools];

for (const name of ["two CPU workers", "four CPU workers", "two GPU workers"] as const) {
  test(`calls of 51 baseline JPEGs of 40 megapixels cost the others nothing, and at most double their p99: ${name}`, () => {
    for (const seed of seedsOf(2)) expectP99(seed, play(pools[name], 20, seed));
  });

  test(`calls of 51 of the heaviest images within the limits have nobody else refused: ${name}`, () => {
    for (const seed of seedsOf(2)) expectShares(seed, play(pools[name], 160, seed));
  });

  test(`calls of two photographs of 12 megapixels and 2 MiB at most double the p99 of the others: ${name}`, () => {
    for (const victimImages of [1, 2]) {
      for (const seed of seedsOf(2)) {
        expectP99(seed, play(pools[name], 10, seed, { floodImages: [2], victimImages }));
      }
    }
  });
}

test("beside a single worker the others wait for one heavy image at most", () => {
  const decodingMs = 2 + 60 * 5;
  for (const seed of seedsOf(2)) expectP99(seed, play(pools["one GPU worker"], 60, seed), decodingMs);
});

test("heavy images are served meanwhile: they have a share, and do not starve", () => {
  const { flooded } = play(pools["two CPU workers"], 20, 0);
  const answered = [...flooded.calls.values()].flatMap(({ tenant, answers }) =>
    tenant === "flood" ? answers.filter(({ kind }) => kind === "faces") : [],
  );
  // A fifth of two workers, if they decoded nothing else: 30 s · 2 / 5 / 162 ms = 74.
  assert.ok(answered.length >= 74, `${answered.length} images`);
});

/** `floodImages`: images of the calls of the flood, 50 calls a second of each. */
function play(
  { pool, perSecond, timeBudgetMs }: Pool,
  cost: number,
  seed: number,
  { floodImages = [51, 1], victimImages = 1 } = {},
) {
  const random = new Random(seed);
  const peaceful = victims.map((tenant) =>
    poisson(random.branch(), perSecond / 10 / victimImages, forMs, {
      tenant,
      tasks: victimImages,
      timeBudgetMs,
    }),
  );
  const flood = floodImages.map((tasks) =>
    poisson(random.branch(), 50, forMs, { tenant: "flood", tasks, cost, timeBudgetMs: 30_000 }),
  );
  const simulate = (streams: Arrival[][]) =>
    new Simulation({ seed, workers: pool, hops, arrivals: merge(...streams) }).run(forMs + timeBudgetMs);
  return { alone: () => simulate(peaceful), flooded: simulate([...peaceful, ...flood]) };
}

function expectP99(seed: number, played: Played, moreMs = 0): void {
  expectShares(seed, played);
  const [before, after] = [played.alone(), played.flooded].map((each) => goodP99(each, victims, settledAt));
  const p99s = `seed ${seed}: p99 ${before} ms alone, ${after} ms beside the flood`;
  assert.ok(after! <= 2 * before! + moreMs, p99s);
}

function expectShares(seed: number, { flooded }: Played): void {
  for (const tenants of [victims, ...victims.map((victim) => [victim])]) {
    const share = goodShare(flooded, tenants, settledAt);
    assert.ok(share >= 0.99, `seed ${seed}: ${tenants.join()}: ${share} in time`);
  }
}

type Played = { alone(): Simulation; flooded: Simulation };
