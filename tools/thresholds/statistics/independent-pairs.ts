import type { PersonPair } from "./person-bootstrap.ts";

/**
 * How many independent pairs the pairs hold at the least, whatever people have in common, and how many people
 * they are of. Pairs that share nobody are independent.
 */
export type IndependentPairs = { pairs: number; people: number };

/**
 * Pairs of different people, no two of which share a person: as many as a greedy choice finds, at least half
 * of the most. It begins with people who are in few pairs, which leaves over the fewest.
 */
export function independentDifferent(pairs: readonly PersonPair[]): IndependentPairs {
  const partners = new Map<number, Set<number>>();
  const add = (one: number, other: number) => {
    const known = partners.get(one) ?? new Set();
    partners.set(one, known.add(other));
  };
  for (const {
    same,
    people: [one, other],
  } of pairs) {
    if (same) continue;
    add(one, other);
    add(other, one);
  }
  const used = new Set<number>();
  let count = 0;
  for (const [person, others] of [...partners].toSorted(([, a], [, b]) => a.size - b.size)) {
    if (used.has(person)) continue;
    const partner = [...others].find((other) => !used.has(other));
    if (partner === undefined) continue;
    used.add(person).add(partner);
    count++;
  }
  return { pairs: count, people: partners.size };
}

/**
 * Pairs of one person: as many as if all pairs of a person were one observation, less where some people have
 * many more pairs than others (Kish's effective sample size of clusters).
 */
export function independentSame(pairs: readonly PersonPair[]): IndependentPairs {
  const counts = new Map<number, number>();
  for (const {
    same,
    people: [person],
  } of pairs) {
    if (same) counts.set(person, (counts.get(person) ?? 0) + 1);
  }
  let [sum, squares] = [0, 0];
  for (const count of counts.values()) {
    sum += count;
    squares += count * count;
  }
  return { pairs: squares === 0 ? 0 : (sum * sum) / squares, people: counts.size };
}
