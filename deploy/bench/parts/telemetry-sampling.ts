import { randomBytes } from "node:crypto";
import { assertAnswered } from "../load/closed-loop.ts";
import { type Generator, measureLoop, openGenerator } from "../load/generator.ts";
import { openStack, type Part, type Stack } from "../part.ts";
import { tinyJpeg } from "../pictures.ts";
import { readResults, table } from "../report.ts";
import { inRandomOrder, mean, mulberry32, sum, trimmedMeanInterval } from "../statistics.ts";
import { openReceivers } from "../telemetry/receivers.ts";

/**
 * What sampling costs, as CPU time of the services for each /verify. All loads go to the same processes, and
 * differ only in how many calls carry a `traceparent` that is sampled: two processes with the same work
 * differ by more than sampling costs. A round has each load once, in random order and within half a minute,
 * so that what slows the machine down for longer meets all of them.
 */
export const telemetrySampling: Part = async (bench) => {
  if (process.platform !== "linux") {
    return { plan: null, results: null, tables: "CPU time is measured on Linux only." };
  }
  const plan = {
    settings: { ENGINE: "model:40+2b", BATCH_MAX: "32" },
    ...(bench.quick ? { starts: 1, rounds: 3 } : { starts: 1, rounds: 34 }),
    inFlight: 64,
    warmUpMs: bench.quick ? 2_000 : 8_000,
    // Shorter than the 5 s of production, so that a round is short. A tenth pays for more requests then.
    spansEveryMs: 2_000,
    // The spans of the load before must not count for this one.
    settleMs: 2_200,
    // Two such intervals, so that each load pays for as many requests to the receiver as it causes.
    countedMs: 4_000,
    seed: 1,
  };
  const starts: Round[][] = bench.add ? await readResults<Round[][]>(bench, partName, plan) : [];
  await using receivers = await openReceivers();
  await using generator = await openGenerator(bench.stop);
  const img = (await tinyJpeg()).toString("base64");
  const random = mulberry32(plan.seed + starts.length);
  for (let start = 1; start <= plan.starts; start++) {
    await bench.steps.run(`start ${start} of ${plan.starts}`, async (note) => {
      const settings = {
        ...plan.settings,
        OTEL_EXPORTER_OTLP_ENDPOINT: receivers.addresses.present,
        OTEL_BSP_SCHEDULE_DELAY: `${plan.spansEveryMs}`,
      };
      await using stack = await openStack(bench, settings);
      const slice = (mode: Mode, countedMs: number, settleMs: number): Promise<number> =>
        measureSlice({ generator, stack, img }, { ...plan, sampledShare: modes[mode], countedMs, settleMs });
      for (const mode of modeNames) await slice(mode, plan.warmUpMs, 0);
      const rounds: Round[] = [];
      for (let number = 0; number < plan.rounds; number++) {
        const round: Partial<Round> = {};
        for (const mode of inRandomOrder(modeNames, random)) {
          round[mode] = await slice(mode, plan.countedMs, plan.settleMs);
        }
        rounds.push(round as Round);
      }
      starts.push(rounds);
      note(modeNames.map((mode) => mean(rounds.map((round) => round[mode])).toFixed(2)).join(" "));
    });
  }
  return { plan, results: starts, tables: samplingTable(starts) };
};

/** CPU ms of the services for each call. */
async function measureSlice(
  { generator, stack, img }: { generator: Generator; stack: Stack; img: string },
  { sampledShare, inFlight, settleMs, countedMs }: Slice,
): Promise<number> {
  const target = stack.target("/verify", [{ img1: img, img2: img }]);
  const plan = {
    target: { ...target, headersInTurn: traceHeaders(sampledShare) },
    inFlight,
    warmUp: { forMs: settleMs },
    counted: { forMs: countedMs },
    giveUpMs: 30_000,
  };
  const { calls, cpu } = await measureLoop(generator, plan, stack.leaders);
  assertAnswered(calls, "/verify");
  const services = Object.keys(stack.leaders).map((name) => cpu![name]!);
  return (1_000 * sum(services)) / calls.length;
}

/** A hundred traces, of which this share is sampled, spread evenly. */
function traceHeaders(sampledShare: number): Record<string, string>[] {
  return Array.from({ length: 100 }, (_, index) => {
    const isSampled = Math.floor((index + 1) * sampledShare) > Math.floor(index * sampledShare);
    const ids = `${randomBytes(16).toString("hex")}-${randomBytes(8).toString("hex")}`;
    return { traceparent: `00-${ids}-${isSampled ? "01" : "00"}` };
  });
}

function samplingTable(starts: readonly Round[][]): string {
  const random = mulberry32(starts.length);
  const rounds = starts.flat();
  const rows = (["a tenth sampled", "all sampled", "none again"] as const).map((mode) => {
    const changes = trimmedMeanInterval(
      rounds.map((round) => Math.log(changeOf(round, mode))),
      random,
    );
    const cells = [changes.mean, changes.low, changes.high].map((each) => change(Math.exp(each)));
    return [mode, cpuMs(starts, "none"), cpuMs(starts, mode), ...cells];
  });
  return [
    "/verify of two images, 64 in flight, a run takes 40 + 2b ms; CPU ms of ingress, batcher and worker for each call, in the same processes:",
    table(["calls", "none sampled", "here", "change", "from", "to"], rows),
    `Trimmed means of the changes within a round (without a tenth at each end), with 95 % intervals by bootstrap over the ${rounds.length} rounds of ${starts.length} starts. The change is against the mean of both loads without a sampled call, and for the second of them against the first.`,
  ].join("\n\n");
}

/** All are measured in the same processes within seconds, so rounds count and not starts. */
function changeOf(round: Round, mode: Mode): number {
  const none = mode === "none again" ? round.none : (round.none + round["none again"]) / 2;
  return round[mode] / none;
}

const cpuMs = (starts: readonly Round[][], mode: Mode): string =>
  mean(starts.flat().map((round) => round[mode])).toFixed(3);

const change = (ratio: number): string => `${ratio < 1 ? "" : "+"}${(100 * (ratio - 1)).toFixed(1)} %`;

/** Share of the calls that are sampled. `none again` shows what the comparison can tell. */
const modes = { none: 0, "a tenth sampled": 0.1, "all sampled": 1, "none again": 0 };
type Mode = keyof typeof modes;
const modeNames = Object.keys(modes) as Mode[];

const partName = "telemetry-sampling";

type Round = Record<Mode, number>;
type Slice = { sampledShare: number; inFlight: number; settleMs: number; countedMs: number };
