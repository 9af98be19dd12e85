import { heavyJpeg, tinyJpeg } from "../images.ts";
import { type ClosedLoop, countByStatus } from "../load/closed-loop.ts";
import { type Generator, measureLoop, openGenerator } from "../load/generator.ts";
import type { Cpu } from "../observe/processes.ts";
import { type Bench, leadersOf, openStack, type PartResult, type Stack } from "../part.ts";
import { cpuTable, table } from "../report.ts";

/** Tasks a second at saturation when a run of the engine takes no time: everything but the models. */
export async function saturation(bench: Bench): Promise<PartResult> {
  const plan = {
    engine: "model:0+0b",
    batchMax: 64,
    /** 256 calls of 11 tasks may wait together. */
    laneWaitingMax: 4_096,
    warmUp: bench.quick ? { calls: 1 } : { forMs: 10_000 },
    counted: bench.quick ? { calls: 2 } : { forMs: 15_000 },
  };
  await using stack = await openStack(bench, {
    ENGINE: plan.engine,
    BATCH_MAX: `${plan.batchMax}`,
    LANE_WAITING_MAX: `${plan.laneWaitingMax}`,
  });
  await using generator = await openGenerator(bench.stop);
  const results: Result[] = [];
  for (const each of await cases()) {
    const result = await bench.steps.run(each.name, async (note) => {
      const result = await measure(bench, { stack, generator, ...plan, ...each });
      note(`${tasksPerSecond(result).toFixed(0)} tasks/s`);
      return result;
    });
    results.push(result);
    await bench.save({ plan, results });
  }
  return { plan, results, tables: tablesOf(results) };
}

/** A /represent has one task, a /verify two, and a /compare one for each of its images. */
async function cases(): Promise<Case[]> {
  const images = [
    { what: "tiny", img: (await tinyJpeg()).toString("base64") },
    { what: "100 KB", img: (await heavyJpeg()).toString("base64") },
  ];
  return images.flatMap(({ what, img }) => [
    { name: `/represent, ${what}`, path: "/represent", body: { img }, tasksOfCall: 1, inFlight },
    { name: `/verify, ${what}`, path: "/verify", body: { img1: img, img2: img }, tasksOfCall: 2, inFlight },
    {
      name: `/compare of 11, ${what}`,
      path: "/compare",
      body: { img, candidates: Array.from({ length: 10 }, () => ({ img })) },
      tasksOfCall: 11,
      // With more an ingress would refuse calls: IMAGES_IN_FLIGHT_BYTES_MAX.
      inFlight: img.length > 1_000 ? 128 : inFlight,
    },
  ]);
}

const inFlight = 256;

async function measure(bench: Bench, options: Case & Options): Promise<Result> {
  const { stack, generator, name, path, body, tasksOfCall, inFlight, warmUp, counted } = options;
  const plan = {
    target: stack.target(path, [body]),
    inFlight,
    warmUp,
    counted,
    giveUpMs: 30_000,
  };
  const { calls, tookMs, cpu } = await measureLoop(generator, plan, leadersOf(bench));
  return { name, tasksOfCall, inFlight, statuses: countByStatus(calls), tookMs, cpu };
}

const callsPerSecond = ({ statuses, tookMs }: Result): number => ((statuses["200"] ?? 0) * 1_000) / tookMs;
const tasksPerSecond = (result: Result): number => callsPerSecond(result) * result.tasksOfCall;

function tablesOf(results: Result[]): string {
  const rows = results.map((result) => [
    result.name,
    `${result.inFlight}`,
    tasksPerSecond(result).toFixed(0),
    callsPerSecond(result).toFixed(0),
    Object.entries(result.statuses)
      .filter(([status]) => status !== "200")
      .map(([status, count]) => `${count} × ${status}`)
      .join(", ") || "none",
  ]);
  return [
    table(["request, image", "in flight", "tasks/s", "requests/s", "not answered"], rows),
    "Cores in use, by process:",
    cpuTable(results),
  ].join("\n\n");
}

type Case = { name: string; path: string; body: unknown; tasksOfCall: number; inFlight: number };
type Options = Pick<ClosedLoop, "warmUp" | "counted"> & { stack: Stack; generator: Generator };
type Result = {
  name: string;
  tasksOfCall: number;
  inFlight: number;
  /** Calls by the way they ended. */
  statuses: Record<string, number>;
  tookMs: number;
  cpu: Cpu;
};
