import { setTimeout as sleep } from "node:timers/promises";
import { measureCpu } from "../observe/processes.ts";
import { type Bench, leadersOf, openStack, type PartResult, serviceNames } from "../part.ts";
import { table } from "../report.ts";
import { sum } from "../statistics.ts";

/** CPU time of the whole stack without calls, models loaded. */
export async function idle(bench: Bench): Promise<PartResult> {
  const plan = { settleMs: bench.quick ? 2_000 : 60_000, forMs: bench.quick ? 15_000 : 60_000 };
  await using _stack = await openStack(bench);
  await sleep(plan.settleMs, undefined, { signal: bench.stop });
  const cpuUsed = measureCpu(leadersOf(bench));
  const startedAt = performance.now();
  await bench.steps.run("without calls", () => sleep(plan.forMs, undefined, { signal: bench.stop }));
  const cpu = cpuUsed();
  const tookMs = performance.now() - startedAt;
  if (cpu === null) return { plan, results: null, tables: "CPU time is measured on Linux only." };

  const cells = (names: string[]) => {
    const seconds = sum(names.map((name) => cpu[name] ?? 0));
    return [seconds.toFixed(2), ((seconds * 100_000) / tookMs).toFixed(1)];
  };
  const rows = [
    ...Object.keys(cpu).map((name) => [name, ...cells([name])]),
    ["services and broker", ...cells([...serviceNames, "kafka"])],
    ["both Redis", ...cells(["redis-volatile", "redis-durable"])],
  ];
  return { plan, results: { cpu, tookMs }, tables: table(["process", "CPU s", "% of a core"], rows) };
}
