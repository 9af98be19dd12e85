import { type Arrival, merge, poisson } from "./arrivals.ts";
import { type CallResult, callResult } from "./metrics.ts";
import { Random } from "./random.ts";
import { capacityOf, hops, workers } from "./reference-pool.ts";
import { lane, secondLane, startAt } from "./scenario.ts";
import { Simulation } from "./simulation.ts";

// Two lanes on two workers, by run times, time budget and load of each; a load is a share of what the workers
// could do with that lane alone. Prints a Markdown table of the answers in time, late and refused, and the
// share of the workers' time that went into good answers of each lane. Usage: node tools/simulation/two-
// lanes.ts

const forMs = 20_000;
const long = { alpha: 40, beta: 2 };
const short = { alpha: 10, beta: 0.5 };

const cases: Case[] = [
  [
    "alike, load 0.4 + 0.4",
    { times: long, timeBudgetMs: 300, load: 0.4 },
    { times: long, timeBudgetMs: 300, load: 0.4 },
  ],
  [
    "alike, 0.5 + 0.5",
    { times: long, timeBudgetMs: 300, load: 0.5 },
    { times: long, timeBudgetMs: 300, load: 0.5 },
  ],
  ["alike, 1 + 1", { times: long, timeBudgetMs: 300, load: 1 }, { times: long, timeBudgetMs: 300, load: 1 }],
  [
    "long and short runs, 1 + 1",
    { times: long, timeBudgetMs: 300, load: 1 },
    { times: short, timeBudgetMs: 300, load: 1 },
  ],
  [
    "time budget 0.3 and 3 s, 1 + 1",
    { times: long, timeBudgetMs: 300, load: 1 },
    { times: long, timeBudgetMs: 3_000, load: 1 },
  ],
  [
    "time budget 0.3 and 3 s, 3 + 0.3",
    { times: long, timeBudgetMs: 300, load: 3 },
    { times: long, timeBudgetMs: 3_000, load: 0.3 },
  ],
  [
    "time budget 0.3 and 3 s, 0.3 + 3",
    { times: long, timeBudgetMs: 300, load: 0.3 },
    { times: long, timeBudgetMs: 3_000, load: 3 },
  ],
];

console.log(
  "| case | good % | late % | refused p99 ms | answered p99 ms | of the workers' time |\n|---|---|---|---|---|---|",
);
for (const [name, first, second] of cases) {
  const results = simulate(first, second);
  const cells = [first, second].map(({ load }, index) => metrics(results[index]!, load));
  console.log(
    `| ${[name, ...cells[0]!.map((cell, column) => `${cell} / ${cells[1]![column]}`)].join(" | ")} |`,
  );
}

function simulate(first: Traffic, second: Traffic): CallResult[][] {
  const prepare = { alpha: 1, beta: 0.2 };
  const sizes = [1, 2, 4, 8, 16, 32];
  const otherLanes = [{ lane: secondLane, sizes, prepare, ...second.times }];
  const pool = workers(2, { ...first.times, prepare, noise: 0.02, otherLanes });
  const arrivals = [first, second].map(({ times, timeBudgetMs, load }, index): Arrival[] => {
    const capacity = capacityOf(pool.map((worker) => ({ ...worker, ...times })));
    const caller = { tenant: `${index}`, tasks: 1, timeBudgetMs, lane: [lane, secondLane][index]! };
    return poisson(new Random(11 + index), load * capacity, forMs, caller);
  });
  const scenario = { seed: 5, workers: pool, hops, arrivals: merge(...arrivals) };
  const { calls } = new Simulation(scenario).run(forMs + 5_000);
  const settled = [...calls.values()].filter((call) => call.arrivedAt > startAt + 2_000);
  return ["0", "1"].map((tenant) => settled.filter((call) => call.tenant === tenant).map(callResult));
}

function metrics(results: CallResult[], load: number): string[] {
  const share = (kind: string) => results.filter((each) => each.kind === kind).length / results.length;
  const p99 = (kind: string) => {
    const durations = results.filter((each) => each.kind === kind).map((each) => each.durationMs);
    const sorted = durations.toSorted((a, b) => a - b);
    return (sorted[Math.floor(0.99 * sorted.length)] ?? 0).toFixed(0);
  };
  const percent = (part: number) => (100 * part).toFixed(1);
  return [
    percent(share("good")),
    percent(share("late")),
    p99("shed"),
    p99("good"),
    (load * share("good")).toFixed(2),
  ];
}

type Traffic = { times: { alpha: number; beta: number }; timeBudgetMs: number; load: number };
type Case = [name: string, first: Traffic, second: Traffic];
