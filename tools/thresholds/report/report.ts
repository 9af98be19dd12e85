import type { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import { distances } from "@faceline/inference/testing/distances";
import { mulberry32 } from "@faceline/inference/testing/mulberry32";
import { euclideanL2Of } from "@faceline/models/catalogue-entry";
import type { Recogniser } from "@faceline/models/model-pair";
import type { LaneFaces } from "../measure.ts";
import type { LabelledPairs } from "../pairs/labelled-pairs.ts";
import { type Analysis, analyse } from "../statistics/analysis.ts";
import type { Interval } from "../statistics/binomial.ts";
import type { PersonPair } from "../statistics/person-bootstrap.ts";
import { type Proposal, proposeThreshold } from "../statistics/proposal.ts";
import { percent } from "./format.ts";

/** Everything that is reported of a lane. Throws one sentence where too few pairs have a distance. */
export function laneReport(
  labelled: LabelledPairs,
  faces: LaneFaces,
  { model, wantedFmrs }: ReportOptions,
): LaneReport {
  const measured = labelled.pairs.filter(({ pictures: [one, other] }) =>
    [one, other].every((picture) => faces.embeddings[picture] !== undefined),
  );
  const pairsBy = (metric: DistanceMetric): GroupedPair[] =>
    measured.map(({ pictures: [one, other], same, group }) => ({
      distance: distances[metric](faces.embeddings[one]!, faces.embeddings[other]!),
      same,
      people: [labelled.people[one]!, labelled.people[other]!],
      group,
    }));
  for (const [same, word] of [
    [true, "of one person"],
    [false, "of two people"],
  ] as const) {
    if (measured.some((pair) => pair.same === same)) continue;
    throw new Error(
      `${faces.lane}: no pair ${word} has a face in both pictures; there is nothing to measure`,
    );
  }
  const [cosine, euclidean, euclideanL2] = [pairsBy("cosine"), pairsBy("euclidean"), pairsBy("euclidean_l2")];
  const byCosine = metricReport("cosine", cosine, { model, propose: measuredProposals(wantedFmrs) });
  return {
    lane: faces.lane,
    pictures: labelled.pictures.length,
    failures: countsOf(faces.failures.map(({ code }) => code)),
    severalFaces: faces.severalFaces,
    pairs: labelled.pairs.length,
    pairsLost: labelled.pairs.length - measured.length,
    peopleFrom: labelled.peopleFrom,
    people: new Set(measured.flatMap(({ pictures }) => pictures.map((picture) => labelled.people[picture]!)))
      .size,
    metrics: [
      byCosine,
      metricReport("euclidean", euclidean, { model, propose: measuredProposals(wantedFmrs) }),
      // The same line as cosine's, drawn in another unit.
      metricReport("euclidean_l2", euclideanL2, {
        model,
        propose: () => byCosine.proposals.map(inEuclideanL2),
      }),
    ],
  };
}

function metricReport(
  metric: DistanceMetric,
  pairs: readonly GroupedPair[],
  { model, propose }: MetricOptions,
): MetricReport {
  const analysis = analysisOf(pairs);
  const proposals = propose(analysis);
  const marks = [
    { name: "in use", threshold: model.thresholds[metric] },
    ...proposals.flatMap((proposal) =>
      proposal.kind === "proposed" ? [{ name: `FMR ≤ ${percent(proposal.wanted)}`, ...proposal }] : [],
    ),
  ].map(({ name, threshold }) => ({ name, threshold }));
  const groups = [...Map.groupBy(pairs, ({ group }) => group)].flatMap(([group, own]) =>
    group === undefined ? [] : [groupReport(group, own, marks)],
  );
  return {
    metric,
    analysis,
    proposals,
    marks: marks.map((mark) => ({ ...mark, ...ratesAt(analysis, mark.threshold) })),
    groups: groups.toSorted((a, b) => (a.group < b.group ? -1 : 1)),
  };
}

function groupReport(group: string, pairs: readonly PersonPair[], marks: readonly Mark[]): GroupReport {
  const count = (same: boolean) => pairs.filter((pair) => pair.same === same).length;
  const counts = {
    group,
    same: count(true),
    different: count(false),
    people: new Set(pairs.flatMap(({ people }) => people)).size,
  };
  if (counts.same === 0 || counts.different === 0) return { ...counts, marks: [] };
  const analysis = analysisOf(pairs);
  return { ...counts, marks: marks.map((mark) => ({ ...mark, ...ratesAt(analysis, mark.threshold) })) };
}

const analysisOf = (pairs: readonly PersonPair[]): Analysis =>
  analyse(pairs, { resamples: resamplesFor(pairs.length), random: mulberry32(seed) });

const measuredProposals =
  (wantedFmrs: readonly number[]) =>
  ({ curve, fmr }: Analysis): Proposal[] =>
    wantedFmrs.map((wanted) => proposeThreshold(curve, fmr, wanted));

const inEuclideanL2 = (proposal: Proposal): Proposal =>
  proposal.kind === "refused" ? proposal : { ...proposal, threshold: euclideanL2Of(proposal.threshold) };

/** Both rates at a threshold, with their intervals. */
export function ratesAt({ curve, fmr, fnmr }: Analysis, threshold: number): MarkRates {
  const [matches, nonMatches] = [curve.falseMatches(threshold), curve.falseNonMatches(threshold)];
  return {
    fmr: { rate: matches / fmr.pairs, interval: fmr.interval(matches) },
    fnmr: { rate: nonMatches / fnmr.pairs, interval: fnmr.interval(nonMatches) },
  };
}

function countsOf(codes: readonly string[]): { code: string; count: number }[] {
  const groups = [...Map.groupBy(codes, (code) => code)];
  return groups.map(([code, all]) => ({ code, count: all.length })).toSorted((a, b) => b.count - a.count);
}

/** The same for equal pairs, so that a report can be repeated. */
const seed = 1;

/** 2,000, and fewer for many pairs, where a resample takes milliseconds. 200 suffice for a variance. */
const resamplesFor = (pairs: number): number => Math.round(Math.min(2_000, Math.max(200, 5e7 / pairs)));

type ReportOptions = {
  model: Recogniser;
  /** 0 to 1. */
  wantedFmrs: readonly number[];
};
type MetricOptions = { model: Recogniser; propose: (analysis: Analysis) => Proposal[] };
type GroupedPair = PersonPair & { group: string | undefined };

type Mark = { name: string; threshold: number };
/** Intervals are of 95 % confidence. */
type MarkRates = { fmr: Rate; fnmr: Rate };
export type Rate = { rate: number; interval: Interval };
export type ThresholdRow = Mark & MarkRates;

/** `marks` are empty where the group lacks a kind of pairs. */
type GroupReport = {
  group: string;
  same: number;
  different: number;
  people: number;
  marks: ThresholdRow[];
};

export type MetricReport = {
  metric: DistanceMetric;
  analysis: Analysis;
  /** One for each wanted FMR. */
  proposals: Proposal[];
  /** The threshold in use, and those that are proposed. */
  marks: ThresholdRow[];
  groups: GroupReport[];
};

export type LaneReport = {
  lane: string;
  pictures: number;
  /** Pictures without an embedding: failures to enrol. */
  failures: { code: string; count: number }[];
  severalFaces: number;
  pairs: number;
  /** Pairs with a picture that has no embedding. */
  pairsLost: number;
  /** People in pairs with a distance. */
  people: number;
  peopleFrom: LabelledPairs["peopleFrom"];
  metrics: MetricReport[];
};
