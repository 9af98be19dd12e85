import assert from "node:assert/strict";
import test from "node:test";
import { newPlan, newTried } from "../testing/fixtures.ts";
import { planText } from "./text.ts";

test("the text says what to set, what limits, and what the default settings would give", () => {
  const text = planText(newPlan());
  assert.match(text, / {2}workers +3\n {2}BATCH_MAX +8\n {2}UTILISATION_TARGET +0\.85\n/);
  assert.match(text, /\n {2}BATCH_MAX=8 UTILISATION_TARGET=0\.85 npm start -- --workers 3\n/);
  assert.match(text, /What limits: with 2 workers every choice misses p99\./);
  assert.match(text, /defaults, as many workers +3 +4 +0\.85 +80% +2000 \(1333-3000\) +10\.0\n/);
});

test("no line is wider than a terminal, whatever it says", () => {
  const many = newPlan({
    winner: undefined,
    nearest: { ...newTried({ workers: 128, batchMax: 1_024 }), target: { p99: 100_000 } },
  });
  for (const line of planText(many).split("\n")) assert.ok(line.length <= 110, line);
});

test("where the default settings win, it says which these are, and who has them, and shows them once", () => {
  const winner = newTried({ batchMax: 4 }, {});
  const text = planText(newPlan({ winner }));
  assert.match(
    text,
    /BATCH_MAX 4 and UTILISATION_TARGET 0\.85 are the defaults: a service that was started\swithout/,
  );
  assert.doesNotMatch(text, /defaults, as many/);
});

test("a plan for several machines says how many, and has no npm start", () => {
  const text = planText(newPlan({ machine: { ...newPlan().machine, workersPerMachine: 2 } }));
  assert.match(text, /workers +3, on 2 machines of 2 workers\n/);
  assert.match(text, /To set it:\n\nOne npm start runs one machine/);
  assert.doesNotMatch(text, /npm start -- --workers/);
});

test("the error band says what it was computed from, and whether the target may be missed within it", () => {
  const compared = {
    settings: { workers: 2, batchMax: 4, utilisationTarget: 0.85 },
    predicted: { p50Ms: 80, p99Ms: 200 },
    measured: { p50Ms: 82, p99Ms: 300 },
  };
  const says = (p99: number) =>
    planText(newPlan({ band: { p50: 1.2, p99, compared } })).replaceAll(/\s+/g, " ");
  const text = says(1.5);
  assert.match(text, /requests took 82 ms at p50 and 300 at p99, and 80 and 200 are predicted/);
  assert.match(text, /1\.2 times as long or as short at p50, and 1\.5 times at p99/);
  assert.doesNotMatch(text, /At the upper end/);
  assert.match(says(2), /At the upper end p99 would be 400 ms, more than the target: a plan for p99<150ms/);
});

test("where p99 is the same with every batch size, it says that batches do not matter", () => {
  const says = (p99Ms: number) => {
    const other = newTried({ batchMax: 4 }, { p99Ms });
    return /Batches do not matter/.test(planText(newPlan({ tried: [newTried({}), other] })));
  };
  assert.deepEqual([2, 3].map(says), [true, false]);
});
