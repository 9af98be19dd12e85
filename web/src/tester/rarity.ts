import { fill } from "../words/fill.ts";
import { formatNumber } from "./numbers.ts";
import { words } from "./words.ts";

/** The pairs of different people that a false match rate rests on, as /capabilities says it. */
export type RateEvidence = { source: "operator" | "card"; pairs: number };

/** Returns a false match rate as a count among pairs: `none of 262`, `1 in 12,000`, `34 in 100`. */
export function rarityWords(rate: number, { pairs }: RateEvidence): string {
  if (isLeast(rate, pairs)) return fill(words.rarity.noneOf, { pairs: formatNumber(pairs) });
  // Ten in a hundred and more are easier to read than 1 in 2.9.
  if (rate >= 0.1) return fill(words.rarity.inHundred, { count: Math.min(99, Math.round(100 * rate)) });
  return fill(words.rarity.oneIn, { pairs: formatNumber(Number((1 / rate).toPrecision(2))) });
}

/** Returns the sentence about two faces. It says how rare, never how alike. */
export function raritySentence(rate: number, evidence: RateEvidence): string {
  const sentence = fill(words.rarity.sentence, { share: rarityWords(rate, evidence) });
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** A logarithmic scale of rates, the rarest on its left. All positions are shares of its width, 0 to 1. */
export type RarityScale = {
  rate: number;
  /** Position where the measured rates begin: left of it the pairs show nothing. */
  measuredFrom: number;
  ticks: { at: number; label: string }[];
};

/** Returns the scale from the power of ten that the pairs do not reach to all pairs. */
export function rarityScale(rate: number, { pairs }: RateEvidence): RarityScale {
  const decades = Math.floor(Math.log10(pairs + 1)) + 1;
  const at = (value: number): number => Math.max(0, 1 + Math.log10(value) / decades);
  const step = Math.ceil(decades / labelsMax);
  const powers = Array.from({ length: Math.floor(decades / step) + 1 }, (_, index) => index * step);
  return {
    rate: isLeast(rate, pairs) ? at(1 / (pairs + 1)) : at(rate),
    measuredFrom: at(1 / (pairs + 1)),
    ticks: powers.map((power) => ({
      at: at(10 ** -power),
      label: power === 0 ? words.rarity.all : fill(words.rarity.oneIn, { pairs: formatNumber(10 ** power) }),
    })),
  };
}

/** Rates have three digits, and this is the smallest that the pairs can show. */
const isLeast = (rate: number, pairs: number): boolean => rate <= Number((1 / (pairs + 1)).toPrecision(3));

/** Beside that of all pairs, on the screen of a phone. */
const labelsMax = 3;
