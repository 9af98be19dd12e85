// The figures are made up.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelCard } from "@faceline/contracts/http/model-card";
import { cardSummary } from "./card-summary.ts";

const rate = (value: number) => ({ value, low: 0, high: 0.125 });
const rates = {
  pairs_same: 20,
  pairs_different: 80,
  fnmr_at_fmr_1_percent: rate(0),
  fnmr_at_fmr_0_1_percent: rate(0),
  fnmr: rate(0.05),
  fmr: rate(0.0012345),
};
const condition = (set: string, name: string): ModelCard["conditions"][number] => ({
  set,
  condition: name,
  images: 25,
  not_enrolled: 1,
  rates: name === "blur" ? null : rates,
});
const card: ModelCard = {
  measured_on: "2026-11-26",
  measured_by: "us",
  lane: "M/d",
  model_version: "0123456789ab",
  precision: "int8",
  processor: "a processor",
  cpu_ms_per_face: 15.5,
  memory_mib: 300,
  sets: [
    { name: "first", source: "made up", images: 10, people: 2 },
    { name: "last", source: "drawn", images: 25, people: 9 },
  ],
  conditions: [condition("first", "as it is"), condition("last", "as it is"), condition("last", "blur")],
  weaknesses: [],
};

test("a card shows the conditions of the set that thresholds were not chosen on", () => {
  const { rows, sentence, cost } = cardSummary(card);
  assert.deepEqual(rows, [
    ["as it is", "1 of 25", "5% (0 to 13)", "0.12% (0 to 13)"],
    ["blur", "1 of 25", "–", "–"],
  ]);
  assert.match(sentence, /with M\/d, on 25 images of 9 people \(drawn\)/);
  assert.match(cost, /15\.5 ms .* 300 MiB/);
});
