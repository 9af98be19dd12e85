import assert from "node:assert/strict";
import test from "node:test";
import { newPlan, newPrediction, newTried } from "../testing/fixtures.ts";
import { planText } from "./text.ts";

const next = { traffic: ["--trace", "trace.jsonl"], planFile: "a folder/plan.json" };

test("the text says what to set, what limits, and what the default settings would need", () => {
  const text = planText(newPlan(), next);
  assert.match(text, / {2}workers +3\n {2}BATCH_MAX +8\n {2}UTILISATION_TARGET +0\.85\n/);
  assert.match(text, /\n {2}BATCH_MAX=8 UTILISATION_TARGET=0\.85 npm start -- --workers 3\n/);
  assert.match(text, /What limits: with 2 workers every choice misses p99\./);
  assert.match(text, /defaults, as many workers +3 +4 +0\.85 +80 % +2000 +10\.0\n/);
  assert.match(text, /defaults that meet the target +5 /);
});

test("no line is wider than a terminal, whatever it says", () => {
  const many = newPlan({
    winner: undefined,
    unmet: {
      nearest: {
        ...newTried({ workers: 128, batchMax: 1_024, deadlineMs: 120_000 }),
        target: { p99: 100_000 },
      },
      more: undefined,
      workersTried: 512,
    },
    whatIfScope: "windows",
  });
  for (const line of planText(many, next).split("\n")) assert.ok(line.length <= 110, line);
});

test("settings as good as the defaults are not shown twice", () => {
  const plan = newPlan();
  const fewest = newTried({ workers: 3, batchMax: 4 }, {}, "all calls");
  const sameWorkers = { settings: fewest.settings, prediction: newPrediction() };
  const text = planText({ ...plan, defaults: { sameWorkers, fewest, workersMax: 16 } }, next);
  assert.match(text, /needs as many workers\./);
  assert.doesNotMatch(text, /defaults that meet the target/);
});

test("where the default settings win, it says which these are, and who has them, and shows them once", () => {
  const winner = newTried({ batchMax: 4 }, {}, "all calls");
  const text = planText(newPlan({ winner }), next);
  assert.match(
    text,
    /BATCH_MAX 4 and UTILISATION_TARGET 0\.85 are the defaults: a service that was started\swithout/,
  );
  assert.doesNotMatch(text, /defaults, as many/);
});

test("a plan for several machines says how many, and has no npm start", () => {
  const text = planText(newPlan({ machine: { ...newPlan().machine, workersPerMachine: 2 } }), next);
  assert.match(text, /workers +3, on 2 machines of 2 workers\n/);
  assert.doesNotMatch(text, /npm start -- --workers|replay/);
  assert.match(text, /Next: start the machines\. This plan needs 3 workers, on 2 machines of 2 workers\./);
});

test("the text ends with the commands that check the plan and set it, and with what larger batches need", () => {
  const text = planText(newPlan(), next);
  assert.match(text, /replay --trace trace\.jsonl \\\n.*--url http:\/\/127\.0\.0\.1:8080 --key-file/);
  assert.match(
    text,
    /apply 'a folder\/plan\.json' \\\n.*:9480 --url .*:9481 --token-file \.faceline\/operators-token\n/,
  );
  assert.match(text, /batches of 4 by default: start them with BATCH_MAX=8 before apply\.\n$/);
});

test("where p99 is the same with every batch size, it says that batches do not matter", () => {
  const says = (p99Ms: number) => {
    const other = newTried({ batchMax: 4 }, { p99Ms });
    return /Batches do not matter/.test(planText(newPlan({ tried: [newTried({}), other] }), next));
  };
  assert.deepEqual([2, 3].map(says), [true, false]);
});

test("without a measured service the text says what is assumed", () => {
  const { machine } = newPlan();
  const assumed = { ...machine, service: { ...machine.service, isMeasured: false } };
  assert.match(
    planText(newPlan({ machine: assumed }), next),
    /as was assumed: no running\sservice was measured/,
  );
});
