import { fill } from "../words/fill.ts";
import { formatDistance } from "./numbers.ts";
import { words } from "./words.ts";

/** A distance beside a threshold in words that claim no more than that. */
type Verdict = {
  kind: "same" | "different" | "close";
  headline: string;
  explanation: string;
};

/**
 * Returns the words for a distance. Within a tenth of the threshold, on either side, they say that it is
 * close: another image of the same people often falls on the other side.
 */
export function verdictOf({ distance, threshold }: { distance: number; threshold: number }): Verdict {
  const { figures, ...says } = words.verdict;
  const within = distance <= threshold;
  const numbers = { distance: formatDistance(distance), threshold: formatDistance(threshold) };
  const explain = (meaning: string): string => `${fill(figures, numbers)} ${meaning}`;
  if (Math.abs(distance - threshold) <= closeShare * threshold) {
    const headline = within ? says.justWithin : says.justBeyond;
    return { kind: "close", headline, explanation: explain(within ? says.closeSame : says.closeDifferent) };
  }
  return within
    ? { kind: "same", headline: says.same, explanation: explain(says.sameMeans) }
    : { kind: "different", headline: says.different, explanation: explain(says.differentMeans) };
}

/** Share of the threshold, on either side, within which a verdict would claim too much. */
const closeShare = 0.1;
