import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { type Bare, openBare } from "../bare.ts";
import type { Bench, Measured } from "../bench.ts";
import { Caller } from "../caller.ts";
import { type Cpu, everybodyElse, measureCpu } from "../cpu.ts";
import { engineOn } from "../face-contenders.ts";
import { median, table } from "../figures.ts";
import { facePictures } from "../pairs.ts";
import { openStack } from "../stack.ts";

/**
 * How much of the machine's bare throughput is left when the whole service stands around the engine, and who has the rest:
 * as many workers as there are cores, against as many bare engines, in turn.
 */
export async function pipeline(bench: Bench): Promise<Measured> {
  const { servers, quick, steps, key } = bench;
  const engine = engineOn(availableParallelism());
  const plan = { rounds: quick ? 1 : 5, pictures: quick ? 40 : 160, inFlight: 8 * engine.workers };
  const { what, files } = facePictures();
  await using stack = await openStack(bench, {}, engine);
  const results: Result[] = [];
  for (const faces of ["clear", "every"] as const) {
    const bodies = files.map((file) => ({
      img: readFileSync(file).toString("base64"),
      ...(faces === "clear" ? { max_faces: 1 } : {}),
    }));
    const service = new Caller(`${stack.address}/represent`, key, bodies);
    await using opened = new AsyncDisposableStack();
    const bares: Bare[] = [];
    for (let i = 0; i < engine.workers; i++) {
      const options = { lane: "Dlib/ssd", threads: engine.threads, faces, modelsDir: servers.models };
      bares.push(opened.use(await openBare({ ...options, pictures: files })));
    }
    const rounds = await steps.run(`${faces} faces`, () => measure(bench, service, bares, plan));
    results.push({ faces, rounds });
  }
  return { plan: { ...plan, ...engine, what }, results, tables: `${what}\n\n${tablesOf(results)}` };
}

async function measure(bench: Bench, service: Caller, bares: Bare[], plan: Plan): Promise<Round[]> {
  const each = Math.ceil(plan.pictures / bares.length);
  const services = bench.servers.watch.record?.leaders() ?? {};
  const engines = Object.fromEntries(bares.map(({ pid }, i) => [`bare-${i + 1}`, pid]));
  const bare = () => Promise.all(bares.map((one) => one.loop(each)));
  await service.flood(plan.pictures / 2, plan.inFlight);
  await bare();
  const rounds: Round[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    const ofServices = measureCpu(services);
    const servedMs = (await service.flood(plan.pictures, plan.inFlight)) / plan.pictures;
    const servedCpu = perPicture(ofServices(), plan.pictures);
    const ofEngines = measureCpu(engines);
    const bareMs = Math.max(...(await bare())) / (each * bares.length);
    rounds.push({ servedMs, bareMs, servedCpu, bareCpu: perPicture(ofEngines(), each * bares.length) });
  }
  return rounds;
}

/** Milliseconds of a core. */
function perPicture(cpu: Cpu, pictures: number): Cpu {
  if (cpu === null) return null;
  return Object.fromEntries(
    Object.entries(cpu).map(([name, seconds]) => [name, (1_000 * seconds) / pictures]),
  );
}

function tablesOf(results: Result[]): string {
  return [
    table(
      ["faces wanted", "bare pictures/s", "served pictures/s", "served / bare"],
      results.map(({ faces, rounds }) => {
        const kept = rounds.map(({ servedMs, bareMs }) => bareMs / servedMs);
        return [
          faces,
          (1_000 / median(rounds.map(({ bareMs }) => bareMs))).toFixed(1),
          (1_000 / median(rounds.map(({ servedMs }) => servedMs))).toFixed(1),
          `${median(kept).toFixed(2)} (${Math.min(...kept).toFixed(2)} to ${Math.max(...kept).toFixed(2)})`,
        ];
      }),
    ),
    "milliseconds of a core a picture, medians:",
    table(["faces wanted", "bare engines", ...Object.keys(groups)], results.map(shares)),
  ].join("\n\n");
}

/** Whose processes are counted together. The load generator is all that is left: nothing else should run. */
const groups: Record<string, (name: string) => boolean> = {
  workers: (name) => name.startsWith("inference"),
  ingress: (name) => name.startsWith("ingress"),
  batcher: (name) => name.startsWith("batcher"),
  "broker and Redis": (name) => name !== everybodyElse && !/^(inference|ingress|batcher)/.test(name),
  "load generator": (name) => name === everybodyElse,
};

function shares({ faces, rounds }: Result): string[] {
  const of = (pick: (round: Round) => Cpu, belongs: (name: string) => boolean): string => {
    const sums = rounds.flatMap((round) => {
      const cpu = pick(round);
      if (cpu === null) return [];
      const own = Object.entries(cpu).filter(([name]) => belongs(name));
      return own.reduce((sum, [, ms]) => sum + ms, 0);
    });
    return sums.length === 0 ? "–" : median(sums).toFixed(1);
  };
  return [
    faces,
    of(
      ({ bareCpu }) => bareCpu,
      (name) => name !== everybodyElse,
    ),
    ...Object.values(groups).map((belongs) => of(({ servedCpu }) => servedCpu, belongs)),
  ];
}

type Plan = { rounds: number; pictures: number; inFlight: number };

/** Milliseconds a picture, and of a core a picture by process. */
type Round = { servedMs: number; bareMs: number; servedCpu: Cpu; bareCpu: Cpu };
type Result = { faces: "clear" | "every"; rounds: Round[] };
