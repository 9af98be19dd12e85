import assert from "node:assert/strict";
import test from "node:test";
import { predictionTables, type ReplayRound } from "./predictions-tables.ts";

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

test("what is predicted for the pace of each round has a table of its own, with what is left of the errors", () => {
  const slow = round({ p50: [90, 100] });
  const comparedAtPace = [{ ...slow.compared[0]!, predicted: 98 }, slow.compared[1]!];
  const tables = print([{ ...slow, atPace: { pace: 1.2 }, comparedAtPace }]);
  assert.match(tables, /At its pace: .*^\| steady +\| 98 \/ 100, -2\.0 +\|/ms);
  // Runs of both workers together took 2 of 4 s, and a run twice its CPU time.
  assert.match(tables, /\| 0\.25 +\| 2\.00 +\| 1\.200 +\|/);
  const modelled = print([round({})]);
  assert.doesNotMatch(modelled, /At its pace/);
  assert.match(modelled, /\| – +\| – +\|/);
});

const print = (rounds: ReplayRound[]): string => predictionTables([{ name: "steady", rounds }]);

/** `p50` and `shed`: predicted and measured. */
function round({ p50 = [100, 100], shed = [0, 0] }: { p50?: Sides; shed?: Sides }): ReplayRound {
  const side = { stages: { runMs: 30 }, meanRunMs: { 2: 30 } };
  return {
    compared: [
      { name: "p50", unit: "ms", predicted: p50[0], measured: p50[1] },
      { name: "shed", unit: "share", predicted: shed[0], measured: shed[1] },
    ],
    predicted: side,
    measured: { ...side, outcomes: {}, runs: [{ ms: 2_000, cpuMs: 1_000 }], forMs: 4_000 },
    traffic: [],
    text: "",
    beside: undefined,
    cpu: { "ingress-1": 2 },
  };
}

type Sides = [predicted: number, measured: number];
