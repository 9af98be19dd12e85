import { choices } from "./choices.ts";
import { type ClusterScenario, fullCluster, possibleShare } from "./cluster.ts";
import { simulateCluster } from "./simulate-cluster.ts";

// Compares how ingresses may choose among pools: 50 ingresses, 30 pools with 100 accelerators, calls of two
// pictures. Prints the tables of BENCHMARKS.md.
//
//     node planning/cluster/main.ts [seconds counted] [seed]

const countedMs = 1_000 * Number(process.argv[2] ?? 6);
const seed = Number(process.argv[3] ?? 1);
const beforeMs = 2_000;

const steady = (tasksPerSecond: number) => ({ tasksPerSecond, forMs: 1_000 + countedMs });
const losing = (of: "pool" | "zone", tasksPerSecond: number) => ({
  tasksPerSecond,
  forMs: beforeMs + countedMs,
  loss: { of, atMs: beforeMs },
});

const cases: [string, Pick<ClusterScenario, "tasksPerSecond" | "forMs" | "loss">][] = [
  ["100,000 tasks a second", steady(100_000)],
  ["120,000 tasks a second", steady(120_000)],
  ["150,000 tasks a second", steady(150_000)],
  ["100,000 tasks a second, a pool is lost", losing("pool", 100_000)],
  ["100,000 tasks a second, a zone is lost", losing("zone", 100_000)],
  ["70,000 tasks a second, a zone is lost", losing("zone", 70_000)],
];

const head = [
  "choice",
  "answered %",
  "refused %",
  "lost %",
  "p50 ms",
  "p99 ms",
  "most sent",
  "restored after s",
];
for (const [name, changes] of cases) {
  const scenario = { seed, cluster: fullCluster, ...changes };
  const columns = changes.loss === undefined ? head.slice(0, -1) : head;
  console.log(`\n**${name}**, ${percent(possibleShare(scenario))} % possible:\n`);
  console.log(row(columns));
  console.log(row(columns.map(() => "---")));
  for (const [choiceName, choice] of Object.entries(choices)) {
    const result = simulateCluster({ ...scenario, choice });
    const { answered, refused, lost, p50Ms, p99Ms, mostSent, restoredAfterMs } = result;
    console.log(
      row([
        choiceName,
        ...[answered, refused, lost].map(percent),
        p50Ms.toFixed(0),
        p99Ms.toFixed(0),
        mostSent.toFixed(1),
        ...(restoredAfterMs === undefined ? [] : [(restoredAfterMs / 1_000).toFixed(1)]),
      ]),
    );
  }
}
const { user, system } = process.cpuUsage();
console.log(`\n${((user + system) / 1e6).toFixed(0)} s of CPU time.`);

function percent(share: number): string {
  return (100 * share).toFixed(share > 0.995 && share < 1 ? 2 : 1);
}

function row(cells: string[]): string {
  return `| ${cells.join(" | ")} |`;
}
