import type { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import { distances } from "@faceline/inference/testing/distances";
import { mulberry32 } from "@faceline/contracts/testing/mulberry32";
import { failureCounts, type LaneFaces } from "../measure.ts";
import type { Analyses, LaneSample } from "../report/report.ts";
import { analyse } from "../statistics/analysis.ts";
import type { PersonPair } from "../statistics/person-bootstrap.ts";
import type { LabelledPairs } from "./labelled-pairs.ts";

/** Measures labelled pairs in a lane. Throws one sentence if too few pairs have a distance. */
export function labelledSample(labelled: LabelledPairs, faces: LaneFaces): LaneSample {
  const isMeasured = ({ images }: Pair) => images.every((image) => faces.embeddings[image] !== undefined);
  const measured = labelled.pairs.filter(isMeasured);
  for (const [same, word] of [
    [true, "of one person"],
    [false, "of two people"],
  ] as const) {
    if (measured.some((pair) => pair.same === same)) continue;
    throw new Error(`${faces.lane}: no pair ${word} has a face in both images; there is nothing to measure`);
  }
  const analysesOf = (pairs: readonly Pair[]): Analyses => {
    const personPair = ({ images: [one, other], same }: Pair): PersonPair => ({
      distance: 0,
      same,
      people: [labelled.people[one]!, labelled.people[other]!],
    });
    const lost = pairs.filter((pair) => pair.same && !isMeasured(pair)).map(personPair);
    const by = (metric: DistanceMetric) => {
      const own = pairs.filter(isMeasured).map((pair) => {
        const [one, other] = pair.images.map((image) => faces.embeddings[image]!);
        return { ...personPair(pair), distance: distances[metric](one!, other!) };
      });
      return analyse(own, { lost, resamples: resamplesFor(own.length), random: mulberry32(seed) });
    };
    return { cosine: by("cosine"), euclidean: by("euclidean"), euclidean_l2: by("euclidean_l2") };
  };
  const peopleIn = (pairs: readonly Pair[]): number =>
    new Set(pairs.flatMap(({ images }) => images.map((image) => labelled.people[image]!))).size;

  const groups = [...Map.groupBy(labelled.pairs, ({ group }) => group)].flatMap(([group, pairs]) => {
    if (group === undefined) return [];
    const own = pairs.filter(isMeasured);
    const same = own.filter((pair) => pair.same).length;
    const different = own.length - same;
    const analyses = same === 0 || different === 0 ? undefined : analysesOf(pairs);
    return [{ group, same, different, people: peopleIn(own), analyses }];
  });
  return {
    lane: faces.lane,
    images: labelled.images.length,
    failures: failureCounts(faces),
    severalFaces: faces.severalFaces,
    pairs: labelled.pairs.length,
    pairsLost: labelled.pairs.length - measured.length,
    people: peopleIn(measured),
    peopleFrom: labelled.peopleFrom,
    analyses: analysesOf(labelled.pairs),
    groups,
  };
}

/** The same for equal pairs, so that a report can be repeated. */
const seed = 1;

/** 2,000, and fewer for many pairs, where a resample takes milliseconds. 200 suffice for a variance. */
const resamplesFor = (pairs: number): number => Math.round(Math.min(2_000, Math.max(200, 5e7 / pairs)));

type Pair = LabelledPairs["pairs"][number];
