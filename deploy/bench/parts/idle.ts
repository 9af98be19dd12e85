import { setTimeout as sleep } from "node:timers/promises";
import type { Bench, Measured } from "../bench.ts";
import { measureCpu } from "../cpu.ts";
import { table } from "../figures.ts";
import { openStack, serviceNames } from "../stack.ts";

/** What the whole costs while nobody calls, models loaded. */
export async function idle(bench: Bench): Promise<Measured> {
  const plan = { settleMs: bench.quick ? 2_000 : 60_000, forMs: bench.quick ? 15_000 : 60_000 };
  await using _stack = await openStack(bench);
  await sleep(plan.settleMs, undefined, { signal: bench.stop });
  const used = measureCpu(bench.servers.watch.record?.leaders() ?? {});
  const startedAt = performance.now();
  await bench.steps.run("without calls", () => sleep(plan.forMs, undefined, { signal: bench.stop }));
  const cpu = used();
  const tookMs = performance.now() - startedAt;
  if (cpu === null) return { plan, results: null, tables: "CPU time is only told on Linux." };

  const share = (names: string[]) => {
    const seconds = names.reduce((sum, name) => sum + (cpu[name] ?? 0), 0);
    return [seconds.toFixed(2), ((seconds * 100_000) / tookMs).toFixed(1)];
  };
  const rows = [
    ...Object.keys(cpu).map((name) => [name, ...share([name])]),
    ["services and broker", ...share([...serviceNames, "kafka"])],
    ["both Redis", ...share(["redis-volatile", "redis-durable"])],
  ];
  return { plan, results: { cpu, tookMs }, tables: table(["process", "CPU s", "% of a core"], rows) };
}
