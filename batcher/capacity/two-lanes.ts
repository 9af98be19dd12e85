import { Random } from "../testing/random.ts";
import { type Arrival, merge, poisson } from "./arrivals.ts";
import { callResult } from "./metrics.ts";
import { capacityOf, hops, workers } from "./reference-pool.ts";
import { lane, Simulation, secondLane, startAt } from "./simulation.ts";

// Two lanes on two workers, by what each has to run, for how long its callers wait, and how much it is asked for: a
// share of what the workers could do if they did nothing else. Prints a Markdown table: in time, late, refused, and
// the share of the workers' time that each lane made answers of. Usage: node batcher/capacity/two-lanes.ts

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
    "patience 0.3 and 3 s, 1 + 1",
    { times: long, timeBudgetMs: 300, load: 1 },
    { times: long, timeBudgetMs: 3_000, load: 1 },
  ],
  [
    "patience 0.3 and 3 s, 3 + 0.3",
    { times: long, timeBudgetMs: 300, load: 3 },
    { times: long, timeBudgetMs: 3_000, load: 0.3 },
  ],
  [
    "patience 0.3 and 3 s, 0.3 + 3",
    { times: long, timeBudgetMs: 300, load: 0.3 },
    { times: long, timeBudgetMs: 3_000, load: 3 },
  ],
];

console.log(
  "| case | good % | late % | refused p99 ms | answered p99 ms | of the workers' time |\n|---|---|---|---|---|---|",
);
for (const [name, first, second] of cases) {
  const lives = play(first, second);
  const cells = [first, second].map(({ load }, index) => figures(lives[index]!, load));
  console.log(
    `| ${[name, ...cells[0]!.map((cell, column) => `${cell} / ${cells[1]![column]}`)].join(" | ")} |`,
  );
}

function play(first: Traffic, second: Traffic): Life[][] {
  const prepare = { alpha: 1, beta: 0.2 };
  const sizes = [1, 2, 4, 8, 16, 32];
  const otherLanes = [{ lane: secondLane, sizes, prepare, ...second.times }];
  const pool = workers(2, { ...first.times, prepare, noise: 0.02, otherLanes });
  const arrivals = [first, second].map(({ times, timeBudgetMs, load }, index): Arrival[] => {
    const capacity = capacityOf(pool.map((worker) => ({ ...worker, ...times })));
    const caller = { tenant: `${index}`, tasks: 1, timeBudgetMs, lane: [lane, secondLane][index]! };
    return poisson(new Random(11 + index), load * capacity, forMs, caller);
  });
  const setting = { seed: 5, workers: pool, hops, arrivals: merge(...arrivals) };
  const { calls } = new Simulation(setting).run(forMs + 5_000);
  const settled = [...calls.values()].filter((call) => call.arrivedAt > startAt + 2_000);
  return ["0", "1"].map((tenant) => settled.filter((call) => call.tenant === tenant).map(callResult));
}

function figures(lives: Life[], load: number): string[] {
  const share = (fate: string) => lives.filter((life) => life.result === fate).length / lives.length;
  const p99 = (fate: string) => {
    const sorted = lives.filter((life) => life.result === fate).map((life) => life.durationMs);
    return (sorted.toSorted((a, b) => a - b)[Math.floor(0.99 * sorted.length)] ?? 0).toFixed(0);
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
type Life = ReturnType<typeof callResult>;
