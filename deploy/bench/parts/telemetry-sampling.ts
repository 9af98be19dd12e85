import { randomBytes } from "node:crypto";
import { changesTable, measureInTurn, type SliceTimes } from "../modes-in-turn.ts";
import { openStack, type Part } from "../part.ts";
import { openReceivers } from "../telemetry/receivers.ts";
import { openVerifyLoad, verifyLoadPlan, verifyLoadTitle } from "../verify-load.ts";

/**
 * What sampling costs, as CPU time of the services for each /verify. All loads go to the same processes, and
 * differ only in how many calls carry a `traceparent` that is sampled.
 */
export const telemetrySampling: Part = async (bench) => {
  if (process.platform !== "linux") {
    return { plan: null, results: null, tables: "CPU time is measured on Linux only." };
  }
  const plan = {
    ...verifyLoadPlan(bench.quick),
    // Shorter than the 5 s of production, so that a round is short. A tenth pays for more requests then.
    spansEveryMs: 2_000,
    // The spans of the load before must not count for this one.
    settleMs: 2_200,
    // Two such intervals, so that each load pays for as many requests to the receiver as it causes.
    countedMs: 4_000,
    seed: 1,
  };
  await using receivers = await openReceivers();
  await using load = await openVerifyLoad(bench.stop);
  const openStart = async () => {
    const stack = await openStack(bench, {
      ...plan.settings,
      OTEL_EXPORTER_OTLP_ENDPOINT: receivers.addresses.present,
      OTEL_BSP_SCHEDULE_DELAY: `${plan.spansEveryMs}`,
    });
    return {
      measure: async (mode: Mode, times: SliceTimes): Promise<number> => {
        const headersInTurn = traceHeaders(modes[mode]);
        const { inFlight } = plan;
        return (await load.measure(stack, { inFlight, ...times, headersInTurn })).cpuMs;
      },
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
    verifyLoadTitle,
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
