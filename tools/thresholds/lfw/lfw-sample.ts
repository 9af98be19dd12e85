import { distances } from "@faceline/inference/testing/distances";
import type { LaneFaces } from "../measure.ts";
import { labelledSample } from "../pairs/labelled-sample.ts";
import { countText, percent } from "../report/format.ts";
import type { LaneSample } from "../report/report.ts";
import type { Analysis } from "../statistics/analysis.ts";
import { operatingPoint } from "../statistics/operating-point.ts";
import { type FoldedAccuracy, foldedAccuracy } from "./folded-accuracy.ts";
import type { LfwPairs } from "./lfw-pairs.ts";

/** Measures LFW's pairs in a lane; `notes` have the numbers that papers state. */
export function lfwSample(lfw: LfwPairs, faces: LaneFaces): LaneSample {
  const sample = labelledSample(lfw, faces);
  return { ...sample, notes: [...accuracyNotes(lfw, faces), ...tarNotes(sample.analyses.cosine)] };
}

/**
 * The accuracy by cosine. A pair with an image without a face counts as two people in `all`, and is left out
 * in `ofFaces`.
 */
export function lfwAccuracy(
  lfw: LfwPairs,
  { embeddings }: Pick<LaneFaces, "embeddings">,
): { all: FoldedAccuracy; ofFaces: FoldedAccuracy } {
  const pairs = lfw.pairs.map(({ images: [one, other], same }, index) => {
    const [a, b] = [embeddings[one], embeddings[other]];
    const distance = a === undefined || b === undefined ? Infinity : distances.cosine(a, b);
    return { distance, same, fold: Math.floor(index / lfw.foldPairs) };
  });
  const ofFaces = pairs.filter(({ distance }) => distance < Infinity);
  return { all: foldedAccuracy(pairs), ofFaces: foldedAccuracy(ofFaces) };
}

function accuracyNotes(lfw: LfwPairs, faces: LaneFaces): string[] {
  const { all, ofFaces } = lfwAccuracy(lfw, faces);
  const folds = lfw.pairs.length / lfw.foldPairs;
  const text = ({ mean, deviation }: FoldedAccuracy) => `${inPapers(mean)} ± ${inPapers(deviation)} %`;
  return [
    `Accuracy by cosine: ${text(all)}, the mean of ${folds} folds and their standard deviation; the standard ` +
      `error of the mean is ${inPapers(all.standardError)} %.`,
    `A pair with an image without a face counts as two people there. Without these pairs it is ${text(ofFaces)}.`,
  ];
}

function tarNotes(analysis: Analysis): string[] {
  const { fmr, curve } = analysis;
  const sentences = [0.01, 0.001].flatMap((wanted) => {
    const point = operatingPoint(analysis, wanted);
    if (point === undefined) return [];
    const matches = curve.falseMatches(point.threshold);
    const { low, high } = fmr.interval(matches);
    const [tar, tarOfFaces] = [1 - point.fnmr.rate, 1 - point.fnmrWithoutFailures];
    return [
      `TAR at FMR ${percent(wanted)} by cosine: ${inPapers(tar)} %, without failures ${inPapers(tarOfFaces)} %. ` +
        `${countText(matches)} false matches set its threshold, where the true FMR is between ${percent(low)} and ` +
        `${percent(high)}.`,
    ];
  });
  return [
    ...sentences,
    `${countText(fmr.pairs)} pairs of two people show an FMR of ${percent(fmr.bound(0))} at best; --people with the ` +
      "same folder compares all of its images.",
  ];
}

/** Two decimals of a percentage, as in papers. */
const inPapers = (share: number): string => (100 * share).toFixed(2);
