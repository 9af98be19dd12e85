import assert from "node:assert/strict";
import test from "node:test";
import { seedsOf } from "@faceline/batcher/testing/seeds";
import { type Arrival, merge, poisson } from "./arrivals.ts";
import { type CallResult, callResult } from "./metrics.ts";
import { Random } from "./random.ts";
import { hops, workers } from "./reference-pool.ts";
import { startAt } from "./scenario.ts";
import { Simulation } from "./simulation.ts";

// Four teams, and a flood of anonymous calls of ten times what the workers can do. Replay one seed with
// SEED=417.

const forMs = 20_000;
const teams = ["a", "b", "c", "d"];
/** Instant from which the spare workers are known. */
const settledAt = startAt + 4_000;
const settledForMs = startAt + forMs - settledAt;

const cpu = { alpha: 5, beta: 35, sizes: [1, 2, 4], prepare: { alpha: 2, beta: 8 } };
const gpu = { alpha: 20, beta: 1, prepare: { alpha: 2, beta: 5 } };
/** `perSecond`: what the workers can do. */
const pools = {
  "one CPU worker": { pool: workers(1, cpu), perSecond: 25, timeBudgetMs: 8_000 },
  "two CPU workers": { pool: workers(2, cpu), perSecond: 50, timeBudgetMs: 8_000 },
  "four CPU workers": { pool: workers(4, cpu), perSecond: 100, timeBudgetMs: 8_000 },
  "one GPU worker": { pool: workers(1, gpu), perSecond: 180, timeBudgetMs: 1_000 },
  "two GPU workers": { pool: workers(2, gpu), perSecond: 360, timeBudgetMs: 1_000 },
};
type Pool = keyof typeof pools;
const all = Object.keys(pools) as Pool[];
const several = all.filter((name) => pools[name].pool.length > 1);
const single = all.filter((name) => pools[name].pool.length === 1);

for (const name of several) {
  for (const load of name === "four CPU workers" ? [0.1, 0.2, 0.4, 0.9] : [0.4, 0.9]) {
    test(`teams at ${load} of the capacity lose no answer to a flood, and a fifth of p99 at most: ${name}`, () => {
      const { alone, flooded } = besideFlood(name, load);
      assert.equal(flooded.good, flooded.calls, `${flooded.good} of ${flooded.calls} calls in time`);
      assertRatio(
        flooded.p99Ms / alone.p99Ms,
        1.2,
        `p99 ${alone.p99Ms} ms alone, ${flooded.p99Ms} ms beside it`,
      );
    });
  }
}

for (const name of single) {
  test(`beside a single worker teams wait for one best-effort batch at most: ${name}`, () => {
    const { alone, flooded } = besideFlood(name, 0.4);
    assert.equal(flooded.good, flooded.calls, `${flooded.good} of ${flooded.calls} calls in time`);
    const { alpha, beta, prepare } = pools[name].pool[0]!;
    // The hops of the batch and its report, and the preparation and the run of at most two tasks.
    const batchMs = 9 + prepare.alpha + 2 * prepare.beta + alpha + 2 * beta;
    const p99 = `p99 ${alone.p99Ms} ms alone, ${flooded.p99Ms} ms beside the flood`;
    assert.ok(flooded.p99Ms <= alone.p99Ms + batchMs, p99);
    assert.ok(flooded.p50Ms <= alone.p50Ms + batchMs, p99);
  });
}

for (const name of all) {
  test(`while teams need more than all workers, anonymous calls are refused at once and none waits: ${name}`, () => {
    const seed = seedsOf(1)[0]!;
    const [alone, flooded] = [0, 10].map((flood) => play(name, { load: 3, flood, seed }));
    const [before, after] = [alone, flooded].map((each) => metricsOf(each!, teams));
    assertRatio(
      before!.good / after!.good,
      1.01,
      `${before!.good} answers alone, ${after!.good} beside the flood`,
    );
    const anonymous = resultsOf(flooded!, ["anonymous"]);
    assert.ok(anonymous.length > 1_000, `${anonymous.length} anonymous calls`);
    for (const { kind, durationMs } of anonymous) {
      assert.ok(kind === "shed" && durationMs <= hops.replyMs + 1, `${kind} after ${durationMs} ms`);
    }
  });

  test(`anonymous calls that are alone are all answered: ${name}`, () => {
    const { perSecond } = pools[name];
    for (const seed of seedsOf(3)) {
      const { good, calls } = metricsOf(play(name, { load: 0, flood: 0.1, seed }), ["anonymous"]);
      assert.equal(good, calls, `seed ${seed}: ${good} of ${calls} calls at ${perSecond / 10} a second`);
    }
  });
}

test("as many anonymous calls as the workers can do, and no others, use a quarter of the workers at least", () => {
  for (const name of all) {
    const { good } = metricsOf(play(name, { load: 0, flood: 1, seed: 0 }), ["anonymous"]);
    const share = good / (pools[name].perSecond * (settledForMs / 1_000));
    // One of several workers stays free for teams, and no batch is staged behind another.
    assert.ok(share >= 0.25, `${name}: ${share}`);
  }
});

function besideFlood(name: Pool, load: number) {
  const seeds = seedsOf(2);
  const [alone, flooded] = [0, 10].map((flood) =>
    metricsOf(
      seeds.map((seed) => play(name, { load, flood, seed })),
      teams,
    ),
  );
  return { alone: alone!, flooded: flooded! };
}

/** `load`: of the four teams together; `flood`: of anonymous calls; both as a share of the capacity. */
function play(name: Pool, { load, flood, seed }: Load): Simulation {
  const { pool, perSecond, timeBudgetMs } = pools[name];
  const random = new Random(seed);
  const stream = (share: number, caller: Partial<Arrival>): Arrival[] =>
    share === 0
      ? []
      : poisson(random.branch(), share * perSecond, forMs, { tenant: "", tasks: 1, timeBudgetMs, ...caller });
  const streams = teams.map((tenant) => stream(load / 4, { tenant }));
  const anonymous = { tenant: "anonymous", serviceClass: "best_effort", timeBudgetMs: 30_000 } as const;
  const arrivals = merge(...streams, stream(flood, anonymous));
  return new Simulation({ seed, workers: pool, hops, arrivals }).run(forMs + 30_000);
}

function metricsOf(simulations: Simulation | Simulation[], tenants: string[]) {
  const results = [simulations].flat().flatMap((each) => resultsOf(each, tenants));
  const good = results.filter(({ kind }) => kind === "good").map(({ durationMs }) => durationMs);
  const sorted = good.toSorted((a, b) => a - b);
  const [p50Ms, p99Ms] = [0.5, 0.99].map((share) => sorted[Math.floor(share * sorted.length)]!);
  return { calls: results.length, good: good.length, p50Ms: p50Ms!, p99Ms: p99Ms! };
}

const resultsOf = ({ calls }: Simulation, tenants: string[]): CallResult[] =>
  [...calls.values()]
    .filter(({ tenant, arrivedAt }) => tenants.includes(tenant) && arrivedAt >= settledAt)
    .map(callResult);

function assertRatio(ratio: number, most: number, what: string): void {
  assert.ok(ratio <= most, `${what}: x ${ratio.toFixed(2)}`);
}

type Load = { load: number; flood: number; seed: number };
