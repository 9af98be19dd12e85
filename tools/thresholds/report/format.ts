import { upperBound } from "../statistics/binomial.ts";
import type { Proposal } from "../statistics/proposal.ts";
import type { RateEvidence } from "../statistics/rate-evidence.ts";
import { percent } from "./percent.ts";
import type { LaneReport, MetricReport, Rate, ThresholdRow } from "./report.ts";

// Numbers and sentences of a report. text.test.ts covers them.

const rateText = ({ rate, interval }: Rate): string =>
  `${percent(rate)} (${percent(interval.low)} to ${percent(interval.high)})`;

/** "1,234" */
export const countText = (count: number): string => count.toLocaleString("en-US");

/** "0.98 (0.97 to 0.99)" */
export function estimateText(
  { value, interval }: { value: number; interval: { low: number; high: number } | undefined },
  digits: number,
): string {
  const text = (number: number) => (Number.isFinite(number) ? `${Number(number.toFixed(digits))}` : "∞");
  return interval === undefined
    ? text(value)
    : `${text(value)} (${text(interval.low)} to ${text(interval.high)})`;
}

/** The measured pairs and images, in sentences. */
export function sampleSentences(report: LaneReport): string[] {
  const { images, failures, severalFaces, pairs, pairsLost, people, peopleFrom, metrics } = report;
  const { fmr, fnmr } = metrics[0]!.analysis;
  const failed = failures.reduce((sum, { count }) => sum + count, 0);
  const codes = failures.map(({ code, count }) => `${countText(count)} ${code}`).join(", ");
  const independent = (evidence: RateEvidence) => independentText(evidence.independentPairs(0));
  return [
    `Images: ${countText(images)}, of which ${countText(failed)} could not be used (${percent(failed / images)})${codes === "" ? "" : `: ${codes}`}.`,
    ...(severalFaces === 0
      ? []
      : [`In ${countText(severalFaces)} images there is more than one face; the largest was compared.`]),
    `Pairs: ${countText(fnmr.pairs)} of one person, ${countText(fmr.pairs)} of two people${pairsLost === 0 ? "" : `; ${countText(pairsLost)} of ${countText(pairs)} had an image that could not be used: those of one person are non-matches in “FNMR with failures”, and no other rate includes them`}.`,
    `People: ${countText(people)}, ${peopleSources[peopleFrom]}.`,
    `Pairs share people, so they tell less than as many independent pairs: those of one person as much as ${independent(fnmr)}, those of two people as much as ${independent(fmr)}.`,
  ];
}

const peopleSources: Record<LaneReport["peopleFrom"], string> = {
  ids: "by the ids in the file",
  "same pairs":
    "as the pairs labelled same connect their images; an image in none of them counts as a person of its own",
  folders: "a folder each",
};

export const pointHeads = ["FMR", "threshold", "FNMR with failures", "without"] as const;

/** The cells of an operating point, as in `pointHeads`. */
export function pointCells({ wanted, point }: MetricReport["operatingPoints"][number]): string[] {
  if (point === undefined) return [percent(wanted), "", "too few pairs", ""];
  const { threshold, fnmr, fnmrWithoutFailures } = point;
  return [percent(wanted), `${Number(threshold.toFixed(6))}`, rateText(fnmr), percent(fnmrWithoutFailures)];
}

export const pointsSentence =
  "FNMR at a measured FMR; a failure is an image without a face, which matches none. The interval holds what " +
  "the FMR leaves open about the threshold too.";

export const markHeads = ["threshold", "", "FMR", "FNMR with failures", "FNMR without"] as const;

/** The cells of a threshold, as in `markHeads`. */
export const markCells = ({ name, threshold, fmr, fnmr, fnmrWithFailures }: ThresholdRow): string[] => [
  `${threshold}`,
  name,
  rateText(fmr),
  rateText(fnmrWithFailures),
  rateText(fnmr),
];

/** Consequences of a wanted false match rate, in sentences. */
export function proposalSentence(proposal: Proposal, { metric, analysis }: MetricReport): string {
  const { fmr } = analysis;
  const wanted = percent(proposal.wanted);
  if (proposal.kind === "proposed") {
    return `FMR ${wanted}: threshold ${proposal.threshold}. The FMR is at most ${percent(proposal.bound)} there, with a confidence of 95%.`;
  }
  const { least, pairsNeeded, peopleNeeded } = proposal;
  const atBest = upperBound({ errors: 0, trials: fmr.pairs });
  const reason =
    proposal.wanted < atBest
      ? `${countText(fmr.pairs)} pairs of two people cannot show an FMR below ${percent(atBest)}, even if no two of them shared a person`
      : `${countText(fmr.pairs)} pairs of ${countText(fmr.people)} people tell as much as ${independentText(fmr.independentPairs(0))}`;
  return (
    `FMR ${wanted}: no threshold. ${reason}; they show ${percent(least)} at best, by ${metric}. ` +
    `It takes ${countText(pairsNeeded)} independent pairs: about ${countText(roundedUp(peopleNeeded))} people, in as many pairs each as here.`
  );
}

const independentText = (pairs: number): string =>
  `${pairs < 10 ? Number(pairs.toFixed(1)) : countText(Math.floor(pairs))} independent ones`;

/** Two significant digits: more would be a pretence. */
function roundedUp(count: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 1);
  return Math.ceil(count / step) * step;
}
