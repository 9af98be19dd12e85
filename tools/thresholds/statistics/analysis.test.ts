import assert from "node:assert/strict";
import { test } from "node:test";
import { mulberry32 } from "@faceline/contracts/testing/mulberry32";
import { analyse } from "./analysis.ts";
import { clopperPearson } from "./binomial.ts";
import { independentDifferent, independentSame } from "./independent-pairs.ts";
import type { PersonPair } from "./person-bootstrap.ts";
import { proposeThreshold } from "./proposal.ts";

// Covers independent-pairs.ts, rate-evidence.ts and proposal.ts too.

const different = (one: number, other: number, distance = 1): PersonPair => ({
  distance,
  same: false,
  people: [one, other],
});
const same = (person: number, distance = 0): PersonPair => ({
  distance,
  same: true,
  people: [person, person],
});

test("pairs that share nobody are counted: three of six people, one where all share a person", () => {
  const all = [0, 1, 2, 3, 4, 5].flatMap((one) =>
    [0, 1, 2, 3, 4, 5].filter((other) => other > one).map((other) => different(one, other)),
  );
  assert.deepEqual(independentDifferent(all), { pairs: 3, people: 6 });
  const star = [1, 2, 3, 4].map((other) => different(0, other));
  assert.deepEqual(independentDifferent(star), { pairs: 1, people: 5 });
});

test("all pairs of a person are one observation, and less where one person has most of them", () => {
  assert.deepEqual(independentSame([0, 0, 1, 1, 2, 2].map((person) => same(person))), {
    pairs: 3,
    people: 3,
  });
  assert.deepEqual(independentSame([0, 0, 0, 1].map((person) => same(person))), { pairs: 1.6, people: 2 });
});

test("intervals over people hold the true rate as often as they say, those over pairs do not", () => {
  // The FMR at each threshold is known: distances are normal with mean 2 and variance 1.
  const [datasets, cases] = [
    100,
    [
      { threshold: 2 - 1.2816, rate: 0.1 },
      { threshold: 2 - 2.3263, rate: 0.01 },
    ],
  ];
  const random = mulberry32(11);
  const held = cases.map(() => ({ people: 0, pairs: 0 }));
  let [proposed, broken] = [0, 0];
  for (let i = 0; i < datasets; i++) {
    const { curve, fmr } = analyse(simulated(30, random), { lost: [], resamples: 100, random });
    for (const [which, { threshold, rate }] of cases.entries()) {
      const errors = curve.falseMatches(threshold);
      const holds = ({ low, high }: { low: number; high: number }) => low <= rate && rate <= high;
      if (holds(fmr.interval(errors))) held[which]!.people++;
      if (holds(clopperPearson({ errors, trials: fmr.pairs }))) held[which]!.pairs++;
    }
    const proposal = proposeThreshold(curve, fmr, 0.1);
    if (proposal.kind === "refused") continue;
    proposed++;
    if (proposal.threshold > cases[0]!.threshold) broken++;
  }
  for (const { people, pairs } of held) {
    assert.ok(people >= 0.93 * datasets, `${people} of ${datasets} intervals over people hold the rate`);
    assert.ok(pairs < 0.8 * datasets, `${pairs} of ${datasets} intervals over pairs hold the rate`);
  }
  assert.ok(proposed > 0.8 * datasets, `${proposed} thresholds were proposed`);
  assert.ok(broken <= 0.08 * datasets, `${broken} of ${proposed} promises were broken`);
});

/**
 * Three images of each person; distances of different people are normal with mean 2 and variance 1, half of
 * which is due to the two people.
 */
function simulated(people: number, random: () => number): PersonPair[] {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const effects = Array.from({ length: people }, () => 0.5 * normal());
  const pairs: PersonPair[] = [];
  for (let one = 0; one < people; one++) {
    for (let k = 0; k < 3; k++) pairs.push(same(one, normal()));
    for (let other = 0; other < one; other++) {
      for (let k = 0; k < 4; k++) {
        const distance = 2 + effects[one]! + effects[other]! + Math.SQRT1_2 * normal();
        pairs.push(different(one, other, distance));
      }
    }
  }
  return pairs;
}
