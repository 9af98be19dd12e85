import type { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import { type EmbeddingModel, euclideanL2Of } from "@faceline/models/catalogue-entry";
import { type Analysis, nonMatchesWithFailures } from "../statistics/analysis.ts";
import type { Interval } from "../statistics/binomial.ts";
import { type OperatingPoint, operatingPoint } from "../statistics/operating-point.ts";
import type { RateEvidence } from "../statistics/rate-evidence.ts";
import { type Proposal, proposeThreshold } from "../statistics/proposal.ts";
import { percent } from "./percent.ts";

/** Everything that is reported of a lane. */
export function laneReport(
  { analyses, groups, ...sample }: LaneSample,
  { model, wantedFmrs }: ReportOptions,
): LaneReport {
  const reportOf = (metric: DistanceMetric, propose: (analysis: Analysis) => Proposal[]): MetricReport => {
    const analysis = analyses[metric];
    const proposals = propose(analysis);
    const marks = [
      { name: "in use", threshold: model.thresholds[metric] },
      ...proposals.flatMap((proposal) =>
        proposal.kind === "proposed" ? [{ name: `FMR ≤ ${percent(proposal.wanted)}`, ...proposal }] : [],
      ),
    ].map(({ name, threshold }) => ({ name, threshold }));
    const rows = (measured: Analysis) =>
      marks.map((mark): ThresholdRow => ({ ...mark, ...ratesAt(measured, mark.threshold) }));
    return {
      metric,
      analysis,
      // euclidean_l2 has those of cosine in another unit.
      operatingPoints: (metric === "euclidean_l2" ? [] : wantedFmrs).map((wanted) => ({
        wanted,
        point: operatingPoint(analysis, wanted),
      })),
      proposals,
      marks: rows(analysis),
      groups: groups
        .map(({ analyses: own, ...group }) => ({
          ...group,
          marks: own === undefined ? [] : rows(own[metric]),
        }))
        .toSorted((a, b) => (a.group < b.group ? -1 : 1)),
    };
  };
  const byCosine = reportOf("cosine", measuredProposals(wantedFmrs));
  return {
    ...sample,
    metrics: [
      byCosine,
      reportOf("euclidean", measuredProposals(wantedFmrs)),
      // The same line as cosine's, drawn in another unit.
      reportOf("euclidean_l2", () => byCosine.proposals.map(inEuclideanL2)),
    ],
  };
}

const measuredProposals =
  (wantedFmrs: readonly number[]) =>
  ({ curve, fmr }: Analysis): Proposal[] =>
    wantedFmrs.map((wanted) => proposeThreshold(curve, fmr, wanted));

const inEuclideanL2 = (proposal: Proposal): Proposal =>
  proposal.kind === "refused" ? proposal : { ...proposal, threshold: euclideanL2Of(proposal.threshold) };

/** All rates at a threshold, with their intervals. */
function ratesAt(analysis: Analysis, threshold: number): MarkRates {
  const { curve, fmr, fnmr, fnmrWithFailures } = analysis;
  const rateOf = (evidence: RateEvidence, errors: number): Rate => ({
    rate: errors / evidence.pairs,
    interval: evidence.interval(errors),
  });
  return {
    fmr: rateOf(fmr, curve.falseMatches(threshold)),
    fnmr: rateOf(fnmr, curve.falseNonMatches(threshold)),
    fnmrWithFailures: rateOf(fnmrWithFailures, nonMatchesWithFailures(analysis, threshold)),
  };
}

type ReportOptions = {
  model: EmbeddingModel;
  /** 0 to 1. */
  wantedFmrs: readonly number[];
};
type Mark = { name: string; threshold: number };
/**
 * Intervals are of 95% confidence. `fnmr` is of pairs that have a face in both images; in
 * `fnmrWithFailures` the others do not match.
 */
type MarkRates = { fmr: Rate; fnmr: Rate; fnmrWithFailures: Rate };
export type Rate = { rate: number; interval: Interval };
export type ThresholdRow = Mark & MarkRates;

type GroupCounts = { group: string; same: number; different: number; people: number };

export type MetricReport = {
  metric: DistanceMetric;
  analysis: Analysis;
  /** Point of each wanted FMR; undefined if there are too few pairs of two people for one to match. */
  operatingPoints: { wanted: number; point: OperatingPoint | undefined }[];
  /** Proposal for each wanted FMR. */
  proposals: Proposal[];
  /** The threshold in use, and those that are proposed. */
  marks: ThresholdRow[];
  /** `marks` are empty if the group lacks a kind of pairs. */
  groups: (GroupCounts & { marks: ThresholdRow[] })[];
};

type SampleCounts = {
  lane: string;
  images: number;
  /** Images without an embedding: failures to enrol. */
  failures: { code: string; count: number }[];
  severalFaces: number;
  pairs: number;
  /** Pairs with an image that has no embedding. */
  pairsLost: number;
  /** People in pairs with a distance. */
  people: number;
  peopleFrom: "ids" | "same pairs" | "folders";
};

export type Analyses = Record<DistanceMetric, Analysis>;

/** Measurements of a lane. `analyses` of a group are undefined if it lacks a kind of pairs. */
export type LaneSample = SampleCounts & {
  analyses: Analyses;
  groups: (GroupCounts & { analyses: Analyses | undefined })[];
};

export type LaneReport = SampleCounts & { metrics: MetricReport[] };
