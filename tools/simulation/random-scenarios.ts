// Used by guarantees.sim.test.ts.

import { type Arrival, bursts, merge, onOff, poisson, spike, step } from "./arrivals.ts";
import { Random } from "./random.ts";
import { capacityOf, workers } from "./reference-pool.ts";
import { type Scenario, startAt } from "./scenario.ts";
import type { WorkerModel } from "./worker-model.ts";

/**
 * Returns a random pool: its workers, its callers, and with `faults` what goes wrong (deaths, stalls, changes
 * of pace, wrong warm-up times, jitter, heavy images). The load is drawn as a share of the workers' capacity
 * and time budgets as a multiple of a run, so that every regime occurs.
 */
export function randomScenario(seed: number, { faults, forMs = 4_000 }: ScenarioOptions): Scenario {
  const random = new Random(seed);
  const between = (from: number, to: number) => from + (to - from) * random.next();
  const accelerated = random.next() < 0.7;
  const sizes = accelerated
    ? random.pick([[1, 2, 4, 8, 16, 32], [1, 4, 16], [8]])
    : random.pick([[1], [1, 2, 4]]);
  const model: Partial<WorkerModel> = {
    alpha: accelerated ? between(2, 40) : between(1, 4),
    beta: accelerated ? between(0.1, 2) : between(20, 110),
    sizes,
    noise: faults ? between(0, 0.05) : 0,
    warmUpFactor: faults ? between(0.5, 2) : 1,
    prepare: random.pick([
      { alpha: 0, beta: 0 },
      { alpha: 2, beta: 0.3 },
      // Slower to prepare than to run.
      { alpha: between(5, 20), beta: between(2, 6) },
    ]),
    coldStartMs: between(200, 3_000),
  };
  const pool = workers(1 + random.below(4), model);
  if (pool.length > 1 && sizes.length > 1 && random.next() < 0.2) pool[0]!.sizes = sizes.slice(0, -1);
  if (faults) for (const each of pool) addFaults(each, random, forMs);
  return {
    seed,
    workers: pool,
    arrivals: randomArrivals(random, pool, { faults, forMs }),
    hops: { intakeMs: 1, toWorkerMs: 3, reportMs: 2, replyMs: 3, jitter: faults ? 0.3 : 0 },
  };
}

function randomArrivals(
  random: Random,
  pool: WorkerModel[],
  { faults, forMs }: Required<ScenarioOptions>,
): Arrival[] {
  const { alpha, beta, sizes, prepare } = pool[0]!;
  const largest = sizes.at(-1)!;
  const runMs = Math.max(alpha + beta * largest, prepare.alpha + prepare.beta * largest + 10);
  const load = 0.2 + 1.3 * random.next();
  const tenants = 1 + random.below(4);
  // More would only take longer to simulate.
  const perSecond = Math.min(1_200, load * capacityOf(pool));
  const streams = Array.from({ length: tenants }, (_, index) => {
    const tasks = random.pick([1, 1, 1, 2, 5, 20]);
    const timeBudgetMs = runMs * (1.5 + 8 * random.next() ** 2) + 30;
    const cost = faults && random.next() < 0.2 ? 10 : 1;
    const caller = { tenant: `team-${index}`, tasks, timeBudgetMs, cost };
    const rate = perSecond / tenants / tasks;
    switch (random.below(5)) {
      case 0:
        return poisson(random, rate, forMs, caller);
      case 1:
        return step(random, { before: rate / 2, after: 1.5 * rate, stepMs: forMs / 2 }, forMs, caller);
      case 2:
        return onOff(random, { perSecond: 2 * rate, onMs: 300, offMs: 300 }, forMs, caller);
      case 3:
        return bursts(random, { perSecond: rate, factor: 4, burstMs: 500, shareOfTime: 0.1 }, forMs, caller);
      default:
        return spike(random.next() * forMs, Math.ceil(rate), caller);
    }
  });
  return merge(...streams);
}

function addFaults(worker: WorkerModel, random: Random, forMs: number): void {
  const anyMs = () => random.next() * forMs;
  if (random.next() < 0.2) worker.deaths = [{ atMs: anyMs() }];
  if (random.next() < 0.2) worker.stalls = [{ atMs: startAt + anyMs(), ms: 3_000 * random.next() }];
  if (random.next() < 0.3) {
    const changesAt = startAt + anyMs();
    const pace = random.pick([0.7, 1.3, 3]);
    worker.slowdownAt = (now) => (now < changesAt ? 1 : pace);
  }
}

type ScenarioOptions = { faults: boolean; forMs?: number };
