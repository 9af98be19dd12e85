import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { assertAnswered } from "../load/closed-loop.ts";
import { type Generator, generatorName, measureLoop, openGenerator } from "../load/generator.ts";
import type { Target } from "../load/http-client.ts";
import { type Cpu, measureCpu, restOfMachine } from "../observe/processes.ts";
import {
  type Bench,
  type EngineOnly,
  leadersOf,
  openEngineOnly,
  openStack,
  type PartResult,
} from "../part.ts";
import { engineFor } from "../peers/faces/systems.ts";
import { facePictures } from "../pictures.ts";
import { medianAndRange, table } from "../report.ts";
import { median, sum } from "../statistics.ts";

/**
 * How much of the throughput of engines alone is left when the whole service stands around them, on all
 * cores, and which processes use the rest: a worker for each core against an engine for each core, in turn.
 */
export async function efficiency(bench: Bench): Promise<PartResult> {
  const { servers, quick, steps } = bench;
  const engine = engineFor(availableParallelism());
  const plan = { rounds: quick ? 1 : 5, pictures: quick ? 40 : 160, inFlight: 8 * engine.workers };
  const { what, files } = facePictures();
  await using stack = await openStack(bench, {}, engine);
  await using generator = await openGenerator(bench.stop);
  const results: Result[] = [];
  for (const faces of ["clear", "every"] as const) {
    const bodies = files.map((file) => ({
      img: readFileSync(file).toString("base64"),
      ...(faces === "clear" ? { max_faces: 1 } : {}),
    }));
    await using opened = new AsyncDisposableStack();
    const engines: EngineOnly[] = [];
    for (let i = 0; i < engine.workers; i++) {
      const options = { lane: "Dlib/ssd", threads: engine.threads, faces, modelsDir: servers.models };
      engines.push(opened.use(await openEngineOnly({ ...options, pictures: files })));
    }
    const target = stack.target("/represent", bodies);
    const rounds = await steps.run(`${faces} faces`, () =>
      measure(bench, { target, generator, engines }, plan),
    );
    results.push({ faces, rounds });
  }
  return { plan: { ...plan, ...engine, what }, results, tables: `${what}\n\n${tablesOf(results)}` };
}

async function measure(bench: Bench, systems: Systems, plan: Plan): Promise<Round[]> {
  const { target, generator, engines } = systems;
  const each = Math.ceil(plan.pictures / engines.length);
  const engineLeaders = Object.fromEntries(engines.map(({ pid }, i) => [`engine-${i + 1}`, pid]));
  const runEngines = () => Promise.all(engines.map((one) => one.loop(each)));
  await runEngines();
  const rounds: Round[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    const loop = {
      target,
      inFlight: plan.inFlight,
      warmUp: { calls: round === 0 ? plan.pictures / 2 : plan.inFlight },
      counted: { calls: plan.pictures },
      giveUpMs: 30_000,
    };
    const { calls, tookMs, cpu } = await measureLoop(generator, loop, leadersOf(bench));
    assertAnswered(calls, "/represent");
    const engineCpuUsed = measureCpu(engineLeaders);
    const engineMs = Math.max(...(await runEngines())) / (each * engines.length);
    rounds.push({
      servedMs: tookMs / plan.pictures,
      engineMs,
      servedCpu: perPicture(cpu, plan.pictures),
      engineCpu: perPicture(engineCpuUsed(), each * engines.length),
    });
  }
  return rounds;
}

/** CPU milliseconds. */
function perPicture(cpu: Cpu, pictures: number): Cpu {
  if (cpu === null) return null;
  return Object.fromEntries(
    Object.entries(cpu).map(([name, seconds]) => [name, (1_000 * seconds) / pictures]),
  );
}

function tablesOf(results: Result[]): string {
  return [
    table(
      ["faces", "engine-only pictures/s", "served pictures/s", "served / engine-only"],
      results.map(({ faces, rounds }) => {
        const kept = rounds.map(({ servedMs, engineMs }) => engineMs / servedMs);
        return [
          faces,
          (1_000 / median(rounds.map(({ engineMs }) => engineMs))).toFixed(1),
          (1_000 / median(rounds.map(({ servedMs }) => servedMs))).toFixed(1),
          medianAndRange(kept, 2),
        ];
      }),
    ),
    "CPU milliseconds a picture, medians:",
    table(["faces", "engines only", ...Object.keys(groups)], results.map(cpuRow)),
  ].join("\n\n");
}

/** Which processes are counted together. */
const groups: Record<string, (name: string) => boolean> = {
  workers: (name) => name.startsWith("inference"),
  ingress: (name) => name.startsWith("ingress"),
  batcher: (name) => name.startsWith("batcher"),
  "broker and Redis": (name) => name === "kafka" || name.startsWith("redis-"),
  "load generator": (name) => name === generatorName,
  [restOfMachine]: (name) => name === restOfMachine,
};

function cpuRow({ faces, rounds }: Result): string[] {
  const medianOf = (pick: (round: Round) => Cpu, belongs: (name: string) => boolean): string => {
    const sums = rounds.flatMap((round) => {
      const cpu = pick(round);
      if (cpu === null) return [];
      const own = Object.entries(cpu).filter(([name]) => belongs(name));
      return sum(own.map(([, ms]) => ms));
    });
    return sums.length === 0 ? "–" : median(sums).toFixed(1);
  };
  return [
    faces,
    medianOf(
      ({ engineCpu }) => engineCpu,
      (name) => name !== restOfMachine,
    ),
    ...Object.values(groups).map((belongs) => medianOf(({ servedCpu }) => servedCpu, belongs)),
  ];
}

type Systems = { target: Target; generator: Generator; engines: EngineOnly[] };
type Plan = { rounds: number; pictures: number; inFlight: number };

/** Milliseconds a picture, and CPU milliseconds a picture by process. */
type Round = { servedMs: number; engineMs: number; servedCpu: Cpu; engineCpu: Cpu };
type Result = { faces: "clear" | "every"; rounds: Round[] };
