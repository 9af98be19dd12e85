import { randomBytes } from "node:crypto";
import { assertAnswered } from "../load/closed-loop.ts";
import { type Generator, measureLoop, openGenerator } from "../load/generator.ts";
import { changesTable, measureInTurn, type SliceTimes } from "../modes-in-turn.ts";
import { openStack, type Part, type Stack } from "../part.ts";
import { tinyJpeg } from "../pictures.ts";
import { sum } from "../statistics.ts";
import { openReceivers } from "../telemetry/receivers.ts";

/**
 * What sampling costs, as CPU time of the services for each /verify. All loads go to the same processes, and
 * differ only in how many calls carry a `traceparent` that is sampled.
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
  await using receivers = await openReceivers();
  await using generator = await openGenerator(bench.stop);
  const img = (await tinyJpeg()).toString("base64");
  const openStart = async () => {
    const stack = await openStack(bench, {
      ...plan.settings,
      OTEL_EXPORTER_OTLP_ENDPOINT: receivers.addresses.present,
      OTEL_BSP_SCHEDULE_DELAY: `${plan.spansEveryMs}`,
    });
    return {
      measure: (mode: Mode, times: SliceTimes) =>
        measureSlice(
          { generator, stack, img },
          { sampledShare: modes[mode], inFlight: plan.inFlight, ...times },
        ),
      [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
    };
  };
  const starts = await measureInTurn(bench, {
    partName: "telemetry-sampling",
    plan,
    modes: modeNames,
    openStart,
  });
  const bothWithout: Mode[] = ["none", "none again"];
  const tables = [
    "/verify of two images, 64 in flight, a run takes 40 + 2b ms; CPU ms of ingress, batcher and worker for each call, in the same processes:",
    changesTable(
      starts,
      ["calls", "none sampled"],
      [
        { mode: "a tenth sampled", against: bothWithout },
        { mode: "all sampled", against: bothWithout },
        { mode: "none again", against: ["none"] },
      ],
    ),
    "The change is against the mean of both loads without a sampled call, and for the second of them against the first.",
  ];
  return { plan, results: starts, tables: tables.join("\n\n") };
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

/** Share of the calls that are sampled. `none again` shows what the comparison can tell. */
const modes = { none: 0, "a tenth sampled": 0.1, "all sampled": 1, "none again": 0 };
type Mode = keyof typeof modes;
const modeNames = Object.keys(modes) as Mode[];

type Slice = SliceTimes & { sampledShare: number; inFlight: number };
