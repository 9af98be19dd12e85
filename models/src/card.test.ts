import assert from "node:assert/strict";
import { test } from "node:test";
import { readCards } from "./card.ts";
import { readCatalogue } from "./catalogue.ts";
import { modelVersionOf } from "./model-version.ts";

test("a card is of a model or detector of the catalogue, and of the version that it has", async () => {
  const catalogue = await readCatalogue();
  const cards = await readCards();
  assert(cards.size > 0);
  for (const [name, card] of cards) {
    const [model = "", detector = ""] = card.lane.split("/");
    assert([model, detector].includes(name), name);
    assert(catalogue.detector(detector), `${name}: there is no ${detector}`);
    const recogniser = catalogue.find("embedding", model)!;
    const landmarks = catalogue.find("landmarks", recogniser.landmarks)!;
    assert.equal(card.model_version, modelVersionOf(recogniser, landmarks), name);
    assert.equal(catalogue.cards.get(name)?.lane, card.lane);
  }
});

test("each set of a card has its conditions, and each rate is within its interval", async () => {
  for (const [name, { sets, conditions, weaknesses }] of await readCards()) {
    for (const set of sets)
      assert(conditions.some((each) => each.set === set.name && each.condition === "as it is"));
    for (const { set, condition, rates, ...counts } of conditions) {
      const where = `${name}, ${set}, ${condition}`;
      assert(
        sets.some((each) => each.name === set),
        where,
      );
      assert(counts.not_enrolled <= counts.images, where);
      if (rates === null) continue;
      for (const { value, low, high } of [
        rates.fnmr_at_fmr_1_percent,
        rates.fnmr_at_fmr_0_1_percent,
        rates.fnmr,
        rates.fmr,
      ]) {
        assert(low <= value && value <= high, where);
      }
    }
    assert(weaknesses.length > 0, `${name} has no weakness, which nobody believes`);
  }
});
