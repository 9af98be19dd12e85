import assert from "node:assert/strict";
import test from "node:test";
import { type ReplayRound, predictionTables } from "./predictions-tables.ts";

/** A run of two pictures takes 16 ms alone. */
const lane = { cpuShare: 1, runs: [{ size: 2, ms: [14, 16, 18] }] };

test("errors are those of the means over the rounds, and stand beside those of each round", () => {
  const tables = print([
    round({ p50: [90, 100], shed: [0.1, 0.05] }),
    round({ p50: [130, 100], shed: [0, 0] }),
  ]);
  assert.match(tables, /^\| steady +\| 110 \/ 100, \+10\.0 +\| 5\.0 \/ 2\.5, \+2\.5 +\|$/m);
  assert.match(tables, /^\| steady +\| -10\.0, \+30\.0 +\| \+5\.0, \+0\.0 +\|$/m);
});

test("a trace beside which something else took the cores in a round is marked", () => {
  const noisy = { beside: { othersCores: 0.08, stolenCores: 0.05 } };
  assert.match(print([round({}), { ...round({}), ...noisy }]), /steady \(NOISY\)/);
  const quiet = { beside: { othersCores: 0.04, stolenCores: 0.05 } };
  assert.doesNotMatch(print([round({}), { ...round({}), ...quiet }]), /NOISY/);
});

test("the CPU time of runs is compared with that of the calibrated engine in each round", () => {
  const slow = { ...round({}), engines: 1.92 };
  // 100 runs; both workers run for half of 4 seconds, and a run takes as long as its CPU time twice.
  assert.match(print([round({}), slow]), /\| 0\.44 +\| 2\.29 +\| 1\.000, 1\.200 +\|/);
  const modelled = { ...round({}), engines: 0.01 };
  assert.match(print([modelled]), /\| – +\| – +\|/);
  const twoLanes = { ...round({}), traffic: ["--lane", "Dlib/ssd,Dlib/tiny"] };
  assert.match(print([twoLanes]), /\| 2\.50 +\| – +\|/);
});

const print = (rounds: ReplayRound[]): string => predictionTables([{ name: "steady", rounds }], lane, 2);

/** `p50` and `shed`: predicted and measured. */
function round({ p50 = [100, 100], shed = [0, 0] }: { p50?: Sides; shed?: Sides }): ReplayRound {
  const side = { stages: { runMs: 30 }, meanRunMs: { 2: 30 } };
  return {
    compared: [
      { name: "p50", unit: "ms", predicted: p50[0], measured: p50[1] },
      { name: "shed", unit: "share", predicted: shed[0], measured: shed[1] },
    ],
    predicted: side,
    measured: { ...side, outcomes: {}, runsBySize: { 2: 100 }, utilisation: 0.5, forMs: 4_000 },
    traffic: [],
    text: "",
    beside: undefined,
    engines: 1.6,
    cpu: { "ingress-1": 2 },
  };
}

type Sides = [predicted: number, measured: number];
