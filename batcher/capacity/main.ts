import { Random } from "../testing/random.ts";
import { poisson } from "./arrivals.ts";
import { eager, twoInFlight } from "./baselines.ts";
import { type Metrics, metricsOf } from "./metrics.ts";
import { capacityOf, hops, workers } from "./reference-pool.ts";
import { type NewScheduler, Simulation, startAt } from "./simulation.ts";

// What the policy is worth: one worker of 40 + 2b ms (307.7 tasks a second), hops of 3 ms, 300 ms to the deadline,
// Poisson arrivals below, at and above capacity, beside what people use instead.
//
//     node batcher/capacity/main.ts [simulated seconds] [seeds]

const forMs = 1_000 * Number(process.argv[2] ?? 40);
const seeds = Number(process.argv[3] ?? 5);
const settlingMs = 2_000;

const schedulers: [string, NewScheduler | undefined][] = [
  ["faceline", undefined],
  ["eager, one in flight", eager()],
  ["eager, time-out of 175 ms", eager(175)],
  ["two in flight", twoInFlight()],
  ["two in flight, time-out of 80 ms", twoInFlight(80)],
];

/** The page that the policy was written on. */
const expected = new Map([
  [250, "good 100, p99 221"],
  [290, "good 99.47, p99 254"],
  [350, "good 87.67, p50/p99 215/267, refusal p50/p99 3/3; 87.9 is possible"],
]);

for (const [perSecond, page] of expected) {
  console.log(`\n${perSecond} a second (the plan's own simulation: ${page})\n`);
  console.log(row(["", "possible %", "good %", "late %", "shed %", "p50 ms", "p99 ms", "batch", "refused"]));
  for (const [name, scheduler] of schedulers) console.log(row([name, ...cells(play(perSecond, scheduler))]));
}

console.log(`\nAt 1,000 tasks a second, four workers: ${speed()}.`);

function speed(): string {
  const caller = { tenant: "team", tasks: 1, timeBudgetMs: 300 };
  const arrivals = poisson(new Random(1), 1_000, forMs, caller);
  const [begunAt, used] = [performance.now(), process.cpuUsage()];
  new Simulation({ seed: 1, arrivals, workers: workers(4), hops }).run(forMs);
  const times = (ms: number) => (forMs / ms).toFixed(0);
  const { user, system } = process.cpuUsage(used);
  const byProcessor = times((user + system) / 1_000);
  // Where other work shares the cores the second says what the simulator is worth.
  return `${times(performance.now() - begunAt)} times as fast as real time, ${byProcessor} by processor time`;
}

function play(perSecond: number, scheduler: NewScheduler | undefined): Metrics[] {
  return Array.from({ length: seeds }, (_, seed) => {
    const caller = { tenant: "team", tasks: 1, timeBudgetMs: 300 };
    const arrivals = poisson(new Random(7_000 + seed), perSecond, forMs, caller);
    const setting = { seed, arrivals, workers: workers(1), hops, ...(scheduler && { scheduler }) };
    return metricsOf(new Simulation(setting).run(forMs + 2_000), startAt + settlingMs);
  });
}

function cells(runs: Metrics[]): string[] {
  const mean = (figure: (run: Metrics) => number) =>
    runs.reduce((sum, run) => sum + figure(run), 0) / runs.length;
  const percent = (figure: (run: Metrics) => number) => (100 * mean(figure)).toFixed(2);
  // What the workers could serve of these very arrivals, if none of their time were lost.
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

function row([name, ...figures]: string[]): string {
  return name!.padEnd(34) + figures.map((each) => each.padStart(11)).join("");
}
