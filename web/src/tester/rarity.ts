import { fill } from "../words/fill.ts";
import { formatNumber } from "./numbers.ts";
import { words } from "./words.ts";

/** The pairs of different people behind a false match rate, as /capabilities reports them. */
export type RateEvidence = { source: "operator" | "card"; pairs: number };

/** Returns a false match rate as a count among pairs: `none of 262`, `1 in 12,000`, `34 in 100`. */
export function rarityWords(rate: number, { pairs }: RateEvidence): string {
  if (isLeast(rate, pairs)) return fill(words.sure.noneOf, { pairs: formatNumber(pairs) });
  // From ten in a hundred on, this is easier to read than 1 in 2.9.
  if (rate >= 0.1) return fill(words.sure.inHundred, { count: Math.min(99, Math.round(100 * rate)) });
  return fill(words.sure.oneIn, { pairs: formatNumber(Number((1 / rate).toPrecision(2))) });
}

/**
 * Returns how rare a distance and a threshold are among pairs of different people, and the measurements
 * behind that. It says how rare, never how alike. `rates` are undefined or null if they are not known.
 */
export function raritySentences(rates: Rates, evidence: RateEvidence | null): string[] {
  const { atDistance, atThreshold, basisOwn, basisModel, unknown } = words.sure;
  if (!rates.distance || evidence === null) return [unknown];
  const says = (sentence: string, rate: number): string => {
    const text = fill(sentence, { share: rarityWords(rate, evidence) });
    return text.charAt(0).toUpperCase() + text.slice(1);
  };
  const basis = evidence.source === "operator" ? basisOwn : basisModel;
  return [
    says(atDistance, rates.distance),
    ...(rates.threshold ? [says(atThreshold, rates.threshold)] : []),
    fill(basis, { pairs: formatNumber(evidence.pairs) }),
  ];
}

/** Rates have three digits, and this is the smallest that the pairs can show. */
const isLeast = (rate: number, pairs: number): boolean => rate <= Number((1 / (pairs + 1)).toPrecision(3));

/** False match rates of the distance, and of the threshold. */
type Rates = { distance: number | null; threshold: number | null };
