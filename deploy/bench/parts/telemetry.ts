import { readConfig } from "@faceline/contracts/runtime/config";
import { KafkaConfig } from "@faceline/contracts/runtime/kafka";
import { createTopics, topicOptions } from "../../launcher/topics.ts";
import { assertAnswered } from "../load/closed-loop.ts";
import { type Generator, openGenerator } from "../load/generator.ts";
import { measureCpu, residentMib, restOfMachine } from "../observe/processes.ts";
import { type Bench, openStack, type Part, type PartResult, type Stack } from "../part.ts";
import { tinyJpeg } from "../pictures.ts";
import { readResults } from "../report.ts";
import { sum } from "../statistics.ts";
import { type TelemetryMode, telemetryModes } from "../telemetry/modes.ts";
import { openReceivers } from "../telemetry/receivers.ts";
import { type Round, type Slice, type Start, telemetryTables } from "../telemetry/tables.ts";

/** What being observed costs with the modelled engine, as CPU time of the services for each /verify. */
export const telemetryModelled: Part = (bench) =>
  measureTelemetry(bench, "telemetry-modelled", {
    what: "/verify of two images, 64 in flight, a run takes 40 + 2b ms",
    settings: { ENGINE: "model:40+2b", BATCH_MAX: "32" },
    sliceMs: 1_500,
  });

/** The same where a run takes no time: the services are all there is, at their limit. */
export const telemetryBare: Part = (bench) =>
  measureTelemetry(bench, "telemetry-bare", {
    what: "/verify of two images, 64 in flight, a run takes no time",
    settings: { ENGINE: "model:0+0b", BATCH_MAX: "64", LANE_WAITING_MAX: "4096" },
    sliceMs: 1_200,
  });

/**
 * Starts a stack for each mode on the same broker and Redis, and sends short loads to them in turn, in
 * another order each time: a round has each mode once, within half a minute. Everything is started anew a
 * few times. With `--add` the starts of the last run count too.
 */
async function measureTelemetry(bench: Bench, part: string, load: Load): Promise<PartResult> {
  if (process.platform !== "linux") {
    return { plan: null, results: null, tables: "CPU time is measured on Linux only." };
  }
  const plan = {
    ...load,
    ...(bench.quick ? { starts: 1, rounds: 2 } : { starts: 1, rounds: 10 }),
    inFlight: 64,
    warmUpMs: bench.quick ? 2_000 : 5_000,
    settleMs: 200,
  };
  const before = bench.add ? await readResults<Start[]>(bench, part, plan) : [];
  await using receivers = await openReceivers();
  await using generator = await openGenerator(bench.stop);
  const img = (await tinyJpeg()).toString("base64");
  const modes = telemetryModes(receivers.addresses);
  const starts: Start[] = [];
  for (let start = 1; start <= plan.starts; start++) {
    const title = `start ${start} of ${plan.starts}`;
    await using stacks = await bench.steps.run(`${title}, ${modes.length} stacks`, () =>
      openStacks(bench, modes, load.settings),
    );
    const slice = (mode: string, countedMs: number, settleMs: number): Promise<Slice> =>
      measureSlice({ generator, stack: stacks.of.get(mode)!, img }, { ...plan, countedMs, settleMs });
    await bench.steps.run(`${title}, warm-up`, async () => {
      for (const { name } of modes) await slice(name, plan.warmUpMs, 0);
    });
    const rounds: Round[] = [];
    for (let number = 0; number < plan.rounds; number++) {
      await bench.steps.run(`${title}, round ${number + 1} of ${plan.rounds}`, async (note) => {
        const round: Round = {};
        for (const { name } of inTurn(modes, number)) {
          round[name] = await slice(name, plan.sliceMs, plan.settleMs);
        }
        rounds.push(round);
        note(modes.map(({ name }) => round[name]!.cpuMs.toFixed(2)).join(" "));
      });
    }
    const pagesMs = await bench.steps.run(`${title}, pages`, () =>
      measurePages(stacks.of.get("operators' port")!, bench.stop),
    );
    const mib = Object.fromEntries(
      [...stacks.of].map(([name, { leaders }]) => [name, residentMib(leaders)!]),
    );
    starts.push({ rounds, pagesMs, mib });
  }
  const results = [...before, ...starts];
  return { plan, results, tables: telemetryTables(plan.what, results) };
}

/** Another mode begins each round, and every second round goes backwards. */
function inTurn<T>(modes: readonly T[], round: number): T[] {
  const first = (round * 2) % modes.length;
  const turned = [...modes.slice(first), ...modes.slice(0, first)];
  return round % 2 === 0 ? turned : turned.toReversed();
}

/** Opens a stack for each mode, all at the same time, each with a pool of its own. */
async function openStacks(bench: Bench, modes: TelemetryMode[], settings: Load["settings"]): Promise<Stacks> {
  await using opened = new AsyncDisposableStack();
  const kafka = readConfig(KafkaConfig, bench.servers.environment);
  const open = async (mode: TelemetryMode, index: number) => {
    const pool = `telemetry-${index}`;
    await createTopics(kafka, topicOptions(bench.launch, pool, bench.stop));
    const stack = await openStack(
      bench,
      { ...settings, ...mode.settings },
      { pool, operators: mode.operators },
    );
    opened.use(stack);
    return [mode.name, stack] as const;
  };
  const results = await Promise.allSettled(modes.map(open));
  const failed = results.find((each) => each.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  const of = new Map(results.map((each) => (each as PromiseFulfilledResult<[string, Stack]>).value));
  const open_ = opened.move();
  return { of, [Symbol.asyncDispose]: () => open_.disposeAsync() };
}

/** Sends one load to a stack. */
async function measureSlice(
  { generator, stack, img }: { generator: Generator; stack: Stack; img: string },
  { inFlight, settleMs, countedMs }: { inFlight: number; settleMs: number; countedMs: number },
): Promise<Slice> {
  let cpuUsed = measureCpu(stack.leaders);
  let cpu: ReturnType<typeof cpuUsed> = null;
  const { calls, tookMs } = await generator.closedLoop(
    {
      target: stack.target("/verify", [{ img1: img, img2: img }]),
      inFlight,
      warmUp: { forMs: settleMs },
      counted: { forMs: countedMs },
      giveUpMs: 30_000,
    },
    {
      warm: () => void (cpuUsed = measureCpu(stack.leaders)),
      over: () => void (cpu = cpuUsed()),
    },
  );
  assertAnswered(calls, "/verify");
  const { [restOfMachine]: restSeconds = 0, ...services } = cpu!;
  return {
    cpuMs: (1_000 * sum(Object.values(services))) / calls.length,
    calls: calls.length,
    restCores: (1_000 * restSeconds) / tookMs,
  };
}

/** CPU ms of the services for one reading of all their metrics, as Prometheus does it every 15 s. */
async function measurePages(stack: Stack, signal: AbortSignal): Promise<number> {
  const readings = 40;
  const read = () => Promise.all(stack.operatorsPorts.map((port) => readPage(port, signal)));
  await read();
  const cpuUsed = measureCpu(stack.leaders);
  for (let i = 0; i < readings; i++) await read();
  const { [restOfMachine]: _rest, ...services } = cpuUsed()!;
  return (1_000 * sum(Object.values(services))) / readings;
}

async function readPage(port: number, signal: AbortSignal): Promise<void> {
  const reply = await fetch(`http://127.0.0.1:${port}/metrics`, { signal });
  await reply.text();
  if (!reply.ok) throw new Error(`/metrics answered ${reply.status}`);
}

type Load = { what: string; settings: Record<string, string>; sliceMs: number };
type Stacks = AsyncDisposable & { of: ReadonlyMap<string, Stack> };
