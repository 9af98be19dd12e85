import { rmSync } from "node:fs";
import { join } from "node:path";
import { median } from "@faceline/contracts/testing/quantile";
import { endLeftovers } from "@faceline/deploy/launcher/process-record";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { answeredPerSecond, assertAnswered, type ClosedLoopCall } from "../load/closed-loop.ts";
import { type Generator, openGenerator } from "../load/generator.ts";
import { busySeconds, treeSeconds } from "../observe/processes.ts";
import type { Bench, PartResult } from "../part.ts";
import { table } from "../report.ts";
import {
  boundShare,
  mean,
  pairedRatio,
  type RatioEstimate,
  type RatioVerdict,
  verdictOf,
} from "../statistics.ts";
import { type Checkout, type Instance, openCheckout, startInstance } from "./checkout.ts";
import { type AgainstLoad, againstLoads, type MeasureName, measureDirections } from "./loads.ts";

/**
 * Compares the working tree with another commit on this machine: both run side by side, and short loads
 * alternate between them (old new, new old, …), so that whatever else the machine does meets both. Removes
 * the other checkout at the end. Linux only.
 */
export async function compareCommits(options: AgainstOptions): Promise<AgainstResult> {
  const { ref, parts, folder, stateFolder, quick, steps, say, stop, force } = options;
  if (process.platform !== "linux")
    throw new Error("--against reads CPU times from /proc: it runs on Linux only.");
  const plan = quick
    ? { starts: 1, pairsOfStart: 6, warmUpMs: 2_000, settleMs: 300 }
    : { starts: 2, pairsOfStart: 8, warmUpMs: 5_000, settleMs: 300 };
  const own = join(folder, "against");
  const loads = (await againstLoads()).filter(({ part }) => parts.includes(part));
  const states: Sides<string> = { old: join(own, "old-state"), new: join(own, "new-state") };
  await using opened = new AsyncDisposableStack();
  for (const state of Object.values(states)) {
    await removeState(state, say);
    opened.defer(() => removeState(state, say));
  }
  const old = opened.use(await openCheckout(ref, own));
  const sides: Sides<Checkout> = { old, new: { name: "working tree", path: repository } };
  await using generator = await openGenerator(stop);

  const pairs: MeasuredPair[] = [];
  for (const [engine, ofEngine] of Map.groupBy(loads, (load) => load.engine)) {
    for (let start = 1; start <= plan.starts; start++) {
      await using started = new AsyncDisposableStack();
      const open = async (side: Side): Promise<Instance> => {
        const where = { checkout: sides[side], state: states[side], seed: stateFolder };
        return started.use(await startInstance({ ...where, engine, stop, force }));
      };
      const title = `${engine.name}, start ${start} of ${plan.starts}`;
      const instances = await steps.run(title, () => openBoth(open));
      for (const load of ofEngine) {
        const measured = { load, instances, generator };
        await steps.run(`${load.part}, warm-up`, async () => {
          for (const side of ["old", "new"] as const) await measureSlice(measured, side, plan.warmUpMs);
        });
        for (let pair = 1; pair <= plan.pairsOfStart; pair++) {
          stop.throwIfAborted();
          const name = `${load.part}, pair ${pair} of ${plan.pairsOfStart}`.padEnd(32);
          await steps.run(name, async (note) => {
            const order: Side[] = pair % 2 === 0 ? ["new", "old"] : ["old", "new"];
            const slices: Partial<Sides<Slice>> = {};
            for (const side of order) {
              const sliceMs = load.sliceMs[quick ? "quick" : "full"];
              slices[side] = await measureSlice(measured, side, sliceMs, plan.settleMs);
            }
            const both = slices as Sides<Slice>;
            pairs.push({ part: load.part, start, pair, ...both });
            note(load.measures.map((measure) => changeText(measure, both)).join(", "));
          });
        }
      }
    }
  }
  const rows = loads.flatMap((load) => load.measures.map((measure) => rowOf(load, measure, pairs)));
  return {
    plan: { ...plan, ref, commit: old.name, bound: boundShare },
    results: { pairs, rows },
    tables: tablesOf(rows, pairs, old.name),
    slower: rows.some(({ verdict }) => verdict === "slower"),
  };
}

/**
 * Removes the state folder of a side, and first what a killed run has left running in it. Throws if that
 * still runs.
 */
async function removeState(state: string, say: (line: string) => void): Promise<void> {
  const { owner } = await endLeftovers(join(state, "processes.json"), say);
  if (owner !== undefined) {
    throw new Error(`A comparison still runs in ${state}: wait for it, or end process ${owner} first.`);
  }
  rmSync(state, { recursive: true, force: true });
}

/**
 * Starts both at the same time. Waits for both ends, so that a failure of one leaves the other to be ended.
 */
async function openBoth(open: (side: Side) => Promise<Instance>): Promise<Sides<Instance>> {
  const [old, working] = await Promise.allSettled([open("old"), open("new")]);
  if (old.status === "rejected") throw old.reason;
  if (working.status === "rejected") throw working.reason;
  return { old: old.value, new: working.value };
}

const changeText = (measure: MeasureName, slices: Sides<Slice>): string =>
  `${measure} ${slices.old.values[measure].toFixed(1)} → ${slices.new.values[measure].toFixed(1)}`;

/** Runs a load on one side and measures it. Throws if a call is not answered with 200. */
async function measureSlice(
  { load, instances, generator }: Measured,
  side: Side,
  countedMs: number,
  settleMs = 0,
): Promise<Slice> {
  const { pid, target } = instances[side];
  const otherPid = instances[side === "old" ? "new" : "old"].pid;
  const look = () => ({ own: treeSeconds(pid), other: treeSeconds(otherPid), busy: busySeconds() });
  let before = look();
  let after = before;
  const { calls, tookMs } = await generator.closedLoop(
    {
      target: target(load.path, load.bodies),
      inFlight: load.inFlight,
      warmUp: { forMs: settleMs },
      counted: { forMs: countedMs },
      giveUpMs: 30_000,
    },
    { warm: () => void (before = look()), over: () => void (after = look()) },
  );
  assertAnswered(calls, `${load.path}, ${side},`);
  if (calls.length === 0) throw new Error(`${load.what}, ${side}: no request ended within ${countedMs} ms`);
  const cpuSeconds = after.own - before.own;
  const restSeconds = after.busy - before.busy - cpuSeconds - (after.other - before.other);
  return {
    values: {
      "requests/s": answeredPerSecond({ calls, tookMs }),
      "CPU ms per request": (1_000 * cpuSeconds) / calls.length,
      "p50 ms": median(calls.map(({ tookMs }: ClosedLoopCall) => tookMs)),
    },
    restCores: (1_000 * Math.max(0, restSeconds)) / tookMs,
  };
}

function rowOf(load: AgainstLoad, measure: MeasureName, all: readonly MeasuredPair[]): Row {
  const pairs = all
    .filter(({ part }) => part === load.part)
    .map((pair) => ({ old: pair.old.values[measure], new: pair.new.values[measure] }));
  const estimate = pairedRatio(pairs);
  return {
    what: `${load.what} (${load.engine.name})`,
    measure,
    old: mean(pairs.map((pair) => pair.old)),
    new: mean(pairs.map((pair) => pair.new)),
    ...estimate,
    verdict: verdictOf(estimate, measureDirections[measure]),
  };
}

function tablesOf(rows: readonly Row[], pairs: readonly MeasuredPair[], old: string): string {
  const rest = mean(pairs.flatMap((pair) => [pair.old.restCores, pair.new.restCores]));
  const bound = `${(100 * boundShare).toFixed(0)}%`;
  return [
    table(
      ["load", "measure", "old", "new", "new / old", "95% interval", ""],
      rows.map((row) => [
        row.what,
        row.measure,
        row.old.toFixed(1),
        row.new.toFixed(1),
        row.ratio.toFixed(3),
        `${row.low.toFixed(3)} to ${row.high.toFixed(3)}`,
        row.verdict,
      ]),
    ),
    `Old: ${old}; new: the working tree. "slower" and "faster": the whole interval is beyond ${bound}; "same": all of it is within.`,
    `Work beside the two, the load generator included, kept ${rest.toFixed(2)} cores busy: the more it was, the wider are the intervals.`,
  ].join("\n\n");
}

type Side = "old" | "new";
type Sides<T> = Record<Side, T>;
type Measured = { load: AgainstLoad; instances: Sides<Instance>; generator: Generator };

/** `restCores`: what the rest of the machine kept busy meanwhile. */
type Slice = { values: Record<MeasureName, number>; restCores: number };
type MeasuredPair = Sides<Slice> & { part: string; start: number; pair: number };
type Row = RatioEstimate & {
  what: string;
  measure: MeasureName;
  old: number;
  new: number;
  verdict: RatioVerdict;
};

type AgainstOptions = Pick<Bench, "folder" | "quick" | "steps" | "say" | "stop"> & {
  ref: string;
  parts: readonly string[];
  force: AbortSignal;
  /** Servers and models are copied from it. */
  stateFolder: string;
};

type AgainstResult = PartResult & { slower: boolean };
