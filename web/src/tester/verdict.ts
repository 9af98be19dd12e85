import { words } from "./words.ts";

/** A distance next to a threshold, in words that claim no more than that. */
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
  const says = words.verdict;
  const within = distance <= threshold;
  if (Math.abs(distance - threshold) <= closeShare * threshold) {
    return within
      ? { kind: "close", headline: says.justWithin, explanation: says.closeSame }
      : { kind: "close", headline: says.justBeyond, explanation: says.closeDifferent };
  }
  return within
    ? { kind: "same", headline: says.same, explanation: says.sameMeans }
    : { kind: "different", headline: says.different, explanation: says.differentMeans };
}

/** Share of the threshold, on either side, within which a verdict would claim too much. */
const closeShare = 0.1;
