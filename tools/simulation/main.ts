import { poisson } from "./arrivals.ts";
import { eager, twoInFlight } from "./baselines.ts";
import { type Metrics, metricsOf } from "./metrics.ts";
import { Random } from "./random.ts";
import { capacityOf, hops, workers } from "./reference-pool.ts";
import { type NewScheduler, startAt } from "./scenario.ts";
import { Simulation } from "./simulation.ts";

// Compares the policy with common schedulers: one worker whose batch of b takes 40 + 2b ms (307.7 tasks a
// second), hops of 3 ms, a time budget of 300 ms, Poisson arrivals below, near and above capacity.
//
//     node tools/simulation/main.ts [simulated seconds] [seeds]

const forMs = 1_000 * Number(process.argv[2] ?? 40);
const seeds = Number(process.argv[3] ?? 5);
const settlingMs = 2_000;

const schedulers: [string, NewScheduler | undefined][] = [
  ["faceline", undefined],
  ["eager, one in flight", eager()],
  ["eager, queue timeout of 175 ms", eager(175)],
  ["two in flight", twoInFlight()],
  ["two in flight, timeout of 80 ms", twoInFlight(80)],
];

for (const perSecond of [250, 290, 350]) {
  console.log(`\n${perSecond} a second\n`);
  console.log(row(["", "possible %", "good %", "late %", "shed %", "p50 ms", "p99 ms", "batch", "refused"]));
  for (const [name, scheduler] of schedulers)
    console.log(row([name, ...cells(simulate(perSecond, scheduler))]));
}

function simulate(perSecond: number, scheduler: NewScheduler | undefined): Metrics[] {
  return Array.from({ length: seeds }, (_, seed) => {
    const caller = { tenant: "team", tasks: 1, timeBudgetMs: 300 };
    const arrivals = poisson(new Random(7_000 + seed), perSecond, forMs, caller);
    const scenario = { seed, arrivals, workers: workers(1), hops, ...(scheduler && { scheduler }) };
    return metricsOf(new Simulation(scenario).run(forMs + 2_000), startAt + settlingMs);
  });
}

function cells(runs: Metrics[]): string[] {
  const mean = (metric: (run: Metrics) => number) =>
    runs.reduce((sum, run) => sum + metric(run), 0) / runs.length;
  const percent = (metric: (run: Metrics) => number) => (100 * mean(metric)).toFixed(2);
  // What the worker could serve of these arrivals if none of its time were lost.
  const servable = (capacityOf(workers(1)) * (forMs - settlingMs)) / 1_000;
  return [
    percent((run) => Math.min(1, servable / run.calls)),
    percent((run) => run.good),
    percent((run) => run.late),
    percent((run) => run.shed + run.expired),
    mean((run) => run.answeredMs.p50).toFixed(0),
    mean((run) => run.answeredMs.p99).toFixed(0),
    mean((run) => run.meanBatch).toFixed(1),
    `${mean((run) => run.refusedMs.p50).toFixed(0)}/${mean((run) => run.refusedMs.p99).toFixed(0)}`,
  ];
}

function row([name, ...cells]: string[]): string {
  return name!.padEnd(34) + cells.map((each) => each.padStart(11)).join("");
}
