import { readFileSync } from "node:fs";
import { median, quantile } from "@faceline/contracts/testing/quantile";
import { defaultModels } from "@faceline/runtime/models-config";
import { heavyJpeg, photographs, tinyJpeg } from "../images.ts";
import { assertAnswered, type ClosedLoopCall } from "../load/closed-loop.ts";
import { openGenerator } from "../load/generator.ts";
import { HttpClient, readServerTiming, type Target } from "../load/http-client.ts";
import {
  type Bench,
  type EngineCall,
  type EngineOnly,
  openEngineOnly,
  openStack,
  type PartResult,
} from "../part.ts";
import { table } from "../report.ts";

/** Measures what the service adds to a single request, with real models and with a modelled engine. */
export async function singleRequest(bench: Bench): Promise<PartResult> {
  const real = await withRealModels(bench);
  await bench.save({ plan: { real: real.plan }, results: { real: real.results } });
  const modelled = await withModelledEngine(bench);
  return {
    plan: { real: real.plan, modelled: modelled.plan },
    results: { real: real.results, modelled: modelled.results },
    tables: [real.tables, `a modelled engine, whose run is a wait of ${runMs} ms:`, modelled.tables].join(
      "\n\n",
    ),
  };
}

/** Compares the latency with that of the engine alone. */
async function withRealModels(bench: Bench): Promise<PartResult> {
  const { servers, threads, quick, steps } = bench;
  const plan = { calls: quick ? 2 : 200, warmUps: quick ? 1 : 12 };
  await using stack = await openStack(bench);
  const { lane } = defaultModels;
  const bodies = photographs.map((file) => ({ img: readFileSync(file).toString("base64") }));
  const target = stack.target("/represent", bodies);
  const options = { lane, threads, images: photographs, modelsDir: servers.models };
  await using engine = await openEngineOnly(options);
  const compared = await steps.run(lane, () => compare({ target, engine }, plan));
  const results = [{ lane, ...compared }];
  return { plan, results, tables: tablesOf(results) };
}

/** Measures the service and the engine in turn, call by call, so that both get the same noise. */
async function compare(
  { target, engine }: Systems,
  { calls, warmUps }: Plan,
): Promise<Omit<Comparison, "lane">> {
  using client = new HttpClient(target, 1);
  for (let index = 0; index < warmUps; index++) {
    await callOnce(client, index);
    await engine.call(index);
  }
  const all: Omit<Comparison, "lane"> = { served: [], engine: [] };
  for (let index = 0; index < calls; index++) {
    all.served.push(await callOnce(client, index));
    all.engine.push(await engine.call(index));
  }
  return all;
}

/** Throws if the answer is not 200. */
async function callOnce(client: HttpClient, index: number): Promise<ServedCall> {
  const begunAt = performance.now();
  const { status, serverTiming } = await client.post(index, 30_000);
  const tookMs = performance.now() - begunAt;
  assertAnswered([{ status }], "/represent");
  return { tookMs, ...readServerTiming(serverTiming) };
}

/** Measures what the hops add, and where. Nothing is decoded. */
async function withModelledEngine(bench: Bench): Promise<PartResult> {
  const plan = {
    engine: `model:${runMs}+0b`,
    warmUps: bench.quick ? 1 : 200,
    calls: bench.quick ? 2 : 1_000,
  };
  await using stack = await openStack(bench, { ENGINE: plan.engine });
  await using generator = await openGenerator(bench.stop);
  const results: ModelledCase[] = [];
  for (const [name, image] of [
    ["tiny", await tinyJpeg()],
    ["heavy", await heavyJpeg()],
  ] as const) {
    const target = stack.target("/represent", [{ img: image.toString("base64") }]);
    const { calls } = await bench.steps.run(`one at a time, ${name}`, () =>
      generator.closedLoop({
        target,
        inFlight: 1,
        warmUp: { calls: plan.warmUps },
        counted: { calls: plan.calls },
        giveUpMs: 30_000,
      }),
    );
    assertAnswered(calls, "/represent");
    results.push({ image: `${name}, ${image.length} bytes`, calls });
  }
  const head = [
    "image",
    "added p50 / p99 ms",
    "to the batch",
    "to the run",
    "the run, beyond its wait",
    "HTTP and the way back",
  ];
  return { plan, results, tables: table(head, results.map(modelledRow)) };
}

const runMs = 5;

function tablesOf(comparisons: Comparison[]): string {
  return [
    table(
      ["lane", "engine p50 / p99 ms", "served p50 / p99 ms", "added p50 ms", "added p99 ms"],
      comparisons.map(latencyRow),
    ),
    "where the added milliseconds go, medians:",
    table(
      [
        "lane",
        "to the batch",
        "to the run, without decoding",
        "the run, beyond the engine's",
        "HTTP and the way back",
      ],
      comparisons.map(stagesRow),
    ),
  ].join("\n\n");
}

/**
 * The added p50 is the median of the differences between neighbours: a served call and the same call of the
 * engine.
 */
function latencyRow({ lane, served, engine }: Comparison): string[] {
  const servedMs = served.map((each) => each.tookMs);
  const engineMs = engine.map((each) => each.tookMs);
  const added = servedMs.map((each, index) => each - engineMs[index]!);
  return [
    lane,
    p50p99(engineMs),
    p50p99(servedMs),
    ms(median(added)),
    ms(quantile(servedMs, 0.99) - quantile(engineMs, 0.99)),
  ];
}

function stagesRow({ lane, served, engine }: Comparison): string[] {
  const medianOf = (part: (served: ServedCall, engine: EngineCall) => number) =>
    ms(median(served.map((each, index) => part(each, engine[index]!))));
  return [
    lane,
    medianOf((each) => each.queueMs),
    medianOf((each, { decodeMs }) => each.batchMs - decodeMs),
    medianOf((each, { tookMs, decodeMs }) => each.inferMs - (tookMs - decodeMs)),
    medianOf(restMs),
  ];
}

function modelledRow({ image, calls }: ModelledCase): string[] {
  const added = calls.map(({ tookMs }) => tookMs - runMs);
  const served = calls.map(({ tookMs, serverTiming }) => ({ tookMs, ...readServerTiming(serverTiming) }));
  const medianOf = (part: (call: ServedCall) => number) => ms(median(served.map(part)));
  return [
    image,
    p50p99(added),
    medianOf(({ queueMs }) => queueMs),
    medianOf(({ batchMs }) => batchMs),
    medianOf(({ inferMs }) => inferMs - runMs),
    medianOf(restMs),
  ];
}

/** HTTP and the way back. */
const restMs = ({ tookMs, queueMs, batchMs, inferMs }: ServedCall): number =>
  tookMs - queueMs - batchMs - inferMs;

const p50p99 = (valuesMs: number[]): string => `${ms(median(valuesMs))} / ${ms(quantile(valuesMs, 0.99))}`;

const ms = (value: number): string => value.toFixed(1);

type Systems = { target: Target; engine: EngineOnly };
type Plan = { calls: number; warmUps: number };
type ServedCall = { tookMs: number } & ReturnType<typeof readServerTiming>;

type Comparison = {
  lane: string;
  served: ServedCall[];
  engine: EngineCall[];
};

type ModelledCase = { image: string; calls: ClosedLoopCall[] };
