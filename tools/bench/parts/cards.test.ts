// The figures are made up.
import assert from "node:assert/strict";
import test from "node:test";
import { ModelCard } from "@faceline/contracts/http/model-card";
import { cardDifferences, cardsOf, cardText } from "./cards.ts";
import { accuracyRow, plan } from "./testing/accuracy-rows.ts";

const machine = { day: "2026-11-26", processor: "a processor", cores: 2 };
const cardsWith = (changes: Parameters<typeof accuracyRow>[2] = {}) =>
  cardsOf(
    plan,
    {
      rows: plan.lanes.flatMap(({ name }) => [
        accuracyRow(name, "as it is", {}),
        accuracyRow(name, "mask", name === "M/d" ? changes : {}),
      ]),
      memoryMib: { "M/d": 300 },
    },
    machine,
  );

test("each recogniser has a card with the default detector, and each detector with the default recogniser", () => {
  const lanes = [...cardsWith()].map(([name, { lane }]) => [name, lane]);
  assert.deepEqual(Object.fromEntries(lanes), { M: "M/d", d: "M/d", N: "N/d", e: "M/e" });
});

test("a card is valid, and has a line for each condition", () => {
  const text = cardText(cardsWith().get("M")!);
  assert.deepEqual(ModelCard.parse(JSON.parse(text)), cardsWith().get("M"));
  assert.equal(text.split("\n").filter((line) => line.includes('"condition"')).length, 2);
});

test("what lies outside the intervals of a card is named, and what lies within is not", () => {
  assert.deepEqual(cardDifferences(cardsWith({ fnmr: 0.3, notEnrolled: 1 }), cardsWith()), []);
  assert.deepEqual(cardDifferences(cardsWith({ fnmr: 0.31, notEnrolled: 2 }), cardsWith()), [
    "the card of M differs in labelled, mask: fnmr, not_enrolled",
    "the card of d differs in labelled, mask: fnmr, not_enrolled",
  ]);
});

test("a model without a card, or with that of another version, is named", () => {
  const known = cardsWith();
  known.delete("N");
  known.set("e", { ...known.get("e")!, model_version: "ba9876543210" });
  assert.deepEqual(cardDifferences(cardsWith(), known), [
    "N has no card; --write writes it",
    "the card of e is of another version",
  ]);
});
