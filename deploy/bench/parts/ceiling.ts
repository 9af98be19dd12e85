import type { Bench, Measured } from "../bench.ts";
import type { Flood } from "../closed-loop.ts";
import { type Cpu, measureCpu } from "../cpu.ts";
import { table } from "../figures.ts";
import { type Load, openLoad } from "../load.ts";
import { heavy, tiny } from "../pictures.ts";
import { cpuTable } from "../processes.ts";
import { openStack, type Stack } from "../stack.ts";

/** How many tasks a second the pipeline takes when the engine takes no time: everything but the models. */
export async function ceiling(bench: Bench): Promise<Measured> {
  const plan = {
    engine: "model:0+0b",
    batchMax: 64,
    warmUpMs: bench.quick ? 1_000 : 5_000,
    countedMs: bench.quick ? 3_000 : 15_000,
  };
  await using stack = await openStack(bench, { ENGINE: plan.engine, BATCH_MAX: `${plan.batchMax}` });
  await using load = await openLoad(bench.stop);
  const results: Result[] = [];
  for (const each of await cases()) {
    const result = await bench.steps.run(each.name, async (note) => {
      const result = await flood(bench, { stack, load, ...plan, ...each });
      note(`${tasksPerSecond(result).toFixed(0)} tasks/s`);
      return result;
    });
    results.push(result);
  }
  return { plan, results, tables: tables(results) };
}

/** A /compare has one task for each of its pictures; with fewer in flight, as many tasks wait as a lane lets wait. */
async function cases(): Promise<Case[]> {
  const pictures = [
    { what: "tiny", img: (await tiny()).toString("base64") },
    { what: "100 KB", img: (await heavy()).toString("base64") },
  ];
  const compared = Array.from({ length: 10 });
  return [
    ...pictures.map(({ what, img }) => ({
      name: `/represent, ${what}`,
      path: "/represent",
      body: { img },
      tasksOfCall: 1,
      inFlight: 256,
    })),
    ...pictures.map(({ what, img }) => ({
      name: `/compare of 11, ${what}`,
      path: "/compare",
      body: { img, candidates: compared.map(() => ({ img })) },
      tasksOfCall: 11,
      inFlight: 64,
    })),
  ];
}

async function flood(bench: Bench, options: Case & Options): Promise<Result> {
  const { stack, load, name, path, body, tasksOfCall, inFlight } = options;
  const target = stack.target(path, [body]);
  await load.closed({ target, inFlight, forMs: options.warmUpMs });
  const used = measureCpu({ ...bench.servers.watch.record?.leaders(), "load generator": load.pid });
  const flood = await load.closed({ target, inFlight, forMs: options.countedMs });
  return { name, tasksOfCall, inFlight, ...flood, cpu: used() };
}

const tasksPerSecond = ({ ends, tasksOfCall, tookMs }: Result): number =>
  ((ends["200"] ?? 0) * tasksOfCall * 1_000) / tookMs;

function tables(results: Result[]): string {
  const done = results.map((result) => [
    result.name,
    `${result.inFlight}`,
    tasksPerSecond(result).toFixed(0),
    (tasksPerSecond(result) / result.tasksOfCall).toFixed(0),
    Object.entries(result.ends)
      .filter(([end]) => end !== "200")
      .map(([end, count]) => `${count} × ${end}`)
      .join(", ") || "none",
  ]);
  return [
    table(["call, picture", "in flight", "tasks/s", "calls/s", "not answered"], done),
    "Cores in use, by process:",
    cpuTable(results.map(({ name, cpu, tookMs }) => ({ name, cpu, tookMs }))),
  ].join("\n\n");
}

type Case = { name: string; path: string; body: unknown; tasksOfCall: number; inFlight: number };
type Options = { stack: Stack; load: Load; warmUpMs: number; countedMs: number };
type Result = Flood & { name: string; tasksOfCall: number; inFlight: number; cpu: Cpu };
