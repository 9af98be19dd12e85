/** A distance beside a threshold in words that claim no more than that. */
type Verdict = {
  kind: "same" | "different" | "close";
  headline: string;
  explanation: string;
};

/**
 * Returns the words for a distance. Within a tenth of the threshold, on either side, they say that it is
 * close: another picture of the same people often falls on the other side.
 */
export function verdictOf({ distance, threshold }: { distance: number; threshold: number }): Verdict {
  const figures = `Distance ${formatDistance(distance)}, threshold ${formatDistance(threshold)}.`;
  if (Math.abs(distance - threshold) <= closeShare * threshold) {
    const [headline, counted] =
      distance <= threshold
        ? ["Just within the threshold: try another picture", "the same person"]
        : ["Just beyond the threshold: try another picture", "different people"];
    return {
      kind: "close",
      headline,
      explanation: `${figures} It counts as ${counted}, but within a tenth of the threshold another picture often falls on the other side.`,
    };
  }
  return distance <= threshold
    ? {
        kind: "same",
        headline: "Closer than the threshold: counts as the same person",
        explanation: `${figures} A distance is not a probability, and no proof of who somebody is.`,
      }
    : {
        kind: "different",
        headline: "Further than the threshold: counts as different people",
        explanation: `${figures} Age, light or a turned head increase a distance too, so it is no proof of two people.`,
      };
}

/** `0.0191789` → `0.0192`, `12.3456` → `12.346`. */
export const formatDistance = (distance: number): string => distance.toFixed(distance < 1 ? 4 : 3);

/** Share of the threshold, on either side, within which a verdict would claim too much. */
const closeShare = 0.1;
