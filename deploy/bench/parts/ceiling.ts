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
    /** 256 calls of 11 tasks may wait together. */
    laneWaitingMax: 4_096,
    warmUpMs: bench.quick ? 1_000 : 10_000,
    countedMs: bench.quick ? 3_000 : 15_000,
  };
  await using stack = await openStack(bench, {
    ENGINE: plan.engine,
    BATCH_MAX: `${plan.batchMax}`,
    LANE_WAITING_MAX: `${plan.laneWaitingMax}`,
  });
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

/** A /represent has one task, a /verify two, and a /compare one for each of its pictures. */
async function cases(): Promise<Case[]> {
  const pictures = [
    { what: "tiny", img: (await tiny()).toString("base64") },
    { what: "100 KB", img: (await heavy()).toString("base64") },
  ];
  const compared = Array.from({ length: 10 });
  return pictures.flatMap(({ what, img }) => [
    { name: `/represent, ${what}`, path: "/represent", body: { img }, tasksOfCall: 1, inFlight },
    { name: `/verify, ${what}`, path: "/verify", body: { img1: img, img2: img }, tasksOfCall: 2, inFlight },
    {
      name: `/compare of 11, ${what}`,
      path: "/compare",
      body: { img, candidates: compared.map(() => ({ img })) },
      tasksOfCall: 11,
      // Above it an ingress would refuse: IMAGES_IN_FLIGHT_BYTES_MAX.
      inFlight: img.length > 1_000 ? 128 : inFlight,
    },
  ]);
}

const inFlight = 256;

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
