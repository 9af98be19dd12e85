import { median } from "@faceline/contracts/testing/quantile";
import type { Pixels } from "@faceline/inference/geometry/pixels";
import { distances } from "@faceline/inference/testing/distances";
import { type FalseMatchCurves, falseMatchCurve } from "@faceline/models/false-match-curve";
import type { PersonPair } from "@faceline/thresholds/statistics/person-bootstrap";
import { degradations } from "./degradations.ts";
import { errorRates } from "./error-rates.ts";
import { type MeasuredFace, type MeasuredLane, openMeasuredLanes } from "./lanes.ts";
import type { AccuracyPlan, AccuracyRow } from "./messages.ts";
import { heldOutSet, type LabelledImage, labelledSet, type ImageSet } from "./image-sets.ts";

// Error rates of lanes over labelled images and degraded copies of them. A benchmark starts this as a
// process and asks for one case after another; of each set, "as it is" first:
//
//     accuracy.bench.ts [HELD_OUT_FOLDER]           ──► { lanes, usual, reference, conditions, sets, … }
//     { set: "labelled", condition: "as it is" }    ──► { rows: [{ lane, notEnrolled, fnmr, fmr, … }] }
//     { set: "labelled", condition: "blur" }        ──► …

const original = "as it is";
/** Images of a person that one is compared with, where there are several. */
const referenceCounts = [2, 3, 5];
const lanes = await openMeasuredLanes(process.env["MODELS_DIR"]!);
const [, , heldOutFolder] = process.argv;
const heldOut = heldOutFolder === undefined ? undefined : heldOutSet(heldOutFolder);
const sets = [labelledSet(), ...(heldOut === undefined ? [] : [heldOut])];
/** Faces of the images as they are, by set and lane. */
const originals = new Map(sets.map((set) => [set.name, facesByLane()]));

async function measure(set: ImageSet, condition: string): Promise<AccuracyRow[]> {
  const faces = condition === original ? originals.get(set.name)! : facesByLane();
  const cpuMs = new Map(lanes.all.map(({ name }) => [name, [] as number[]]));
  const images = set.images.filter(
    (image) => condition === original || (image.isProbe && knownArea(set, image) !== undefined),
  );
  for (const image of images) {
    const pixels = await pixelsOf(set, image, condition);
    for (const lane of lanesOf(set)) {
      const result = await lane.largestFace(pixels);
      cpuMs.get(lane.name)!.push(result.cpuMs);
      if (result.face !== undefined) faces.get(lane.name)!.set(image, result.face);
    }
    pixels.pixels.fill(0);
  }
  return lanesOf(set).map((lane): AccuracyRow => {
    const [found, known] = [faces.get(lane.name)!, originals.get(set.name)!.get(lane.name)!];
    const pairs = condition === original ? pairsWithin(found) : pairsAcross(found, known);
    const hasReferences = set === heldOut && lane.detector === lanes.usual.detector;
    const { cosine } = lane.model.thresholds;
    return {
      lane: lane.name,
      set: set.name,
      condition,
      images: images.length,
      notEnrolled: images.length - found.size,
      cpuMs: median(cpuMs.get(lane.name)!),
      rates: errorRates(pairs, cosine),
      references: hasReferences
        ? referenceCounts.map((count) => ({
            count,
            rates: errorRates(pairsAcross(found, known, { count, step: 1 }), cosine),
          }))
        : [],
      ...(condition === original && hasReferences && { falseMatchCurves: curvesWithin(found) }),
    };
  });
}

/** The reference runs on the labelled photographs alone. */
const lanesOf = (set: ImageSet): readonly MeasuredLane[] =>
  lanes.all.filter((lane) => lane !== lanes.reference || set === sets[0]);

async function pixelsOf(set: ImageSet, image: LabelledImage, condition: string): Promise<Pixels> {
  const pixels = await image.open();
  if (condition === original) return pixels;
  const degradation = degradations.find(({ name }) => name === condition)!;
  return degradation.apply(pixels, knownArea(set, image)!);
}

/** The area that the first lane has found which finds a face in the image as it is. */
function knownArea(set: ImageSet, image: LabelledImage): MeasuredFace["area"] | undefined {
  const found = lanes.all.map(({ name }) => originals.get(set.name)!.get(name)!.get(image));
  return found.find((face) => face !== undefined)?.area;
}

/** Every two images. */
function pairsWithin(faces: Faces): PersonPair[] {
  const all = [...faces];
  return all.flatMap((one, index) => all.slice(index + 1).map((other) => pairOf(one, other)));
}

function curvesWithin(faces: Faces): FalseMatchCurves {
  const all = [...faces];
  const curve = (metric: "cosine" | "euclidean") => {
    const different = all.flatMap(([one, face], index) =>
      all
        .slice(index + 1)
        .filter(([other]) => other.person !== one.person)
        .map(([, other]) => distances[metric](face.embedding, other.embedding)),
    );
    return falseMatchCurve(Float64Array.from(different).toSorted())!;
  };
  // No image is in two means: distances that are nearly the same one would make the curve look surer.
  const references = referenceCounts.map((count) => {
    const pairs = pairsAcross(faces, faces, { count, step: count });
    const different = pairs.flatMap(({ same, distance }) => (same ? [] : [distance]));
    return { count, cosine: falseMatchCurve(Float64Array.from(different).toSorted())! };
  });
  return { cosine: curve("cosine"), euclidean: curve("euclidean"), references };
}

/** Probes with the references of each person as they are, except for an image with itself. */
function pairsAcross(probes: Faces, references: Faces, means = { count: 1, step: 1 }): PersonPair[] {
  const usable = [...references].filter(([image]) => image.isReference);
  const people = [...Map.groupBy(usable, ([{ person }]) => person)].map(([person, faces]) => ({
    person,
    faces,
    means: meansOf(faces, means),
  }));
  return [...probes].flatMap(([image, face]) =>
    people.flatMap(({ person, faces, means: ofAll }) => {
      const same = person === image.person;
      const others = () => faces.filter(([other]) => other !== image);
      return (same ? meansOf(others(), means) : ofAll).map((mean) => ({
        distance: distances.cosine(face.embedding, mean),
        same,
        people: [image.person, person],
      }));
    }),
  );
}

/** Returns the mean of every `count` faces in a row, each `step` faces after the one before. */
function meansOf(faces: readonly Found[], { count, step }: { count: number; step: number }): Float32Array[] {
  const means: Float32Array[] = [];
  for (let start = 0; start + count <= faces.length; start += step) {
    const embeddings = faces.slice(start, start + count).map(([, { embedding }]) => embedding);
    means.push(meanEmbedding(embeddings));
  }
  return means;
}

function meanEmbedding(embeddings: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(embeddings[0]!.length);
  for (const embedding of embeddings) {
    const length = Math.hypot(...embedding);
    for (let i = 0; i < mean.length; i++) mean[i]! += embedding[i]! / length;
  }
  return mean;
}

function pairOf([one, face]: Found, [other, otherFace]: Found): PersonPair {
  return {
    distance: distances.cosine(face.embedding, otherFace.embedding),
    same: one.person === other.person,
    people: [one.person, other.person],
  };
}

function facesByLane(): Map<string, Map<LabelledImage, MeasuredFace>> {
  return new Map(lanes.all.map(({ name }) => [name, new Map()]));
}

process.on("message", ({ set: wanted, condition }: { set: string; condition: string }) => {
  const set = sets.find(({ name }) => name === wanted)!;
  void measure(set, condition).then((rows) => process.send!({ rows }));
});
process.once("disconnect", () => process.exit());
const plan: AccuracyPlan = {
  lanes: lanes.all.map(({ name, model, detector, modelVersion, precision }) => ({
    name,
    model: model.name,
    detector,
    modelVersion,
    precision,
  })),
  usual: lanes.usual.name,
  reference: lanes.reference.name,
  fallbacks: lanes.fallbacks,
  unpulled: lanes.unpulled,
  conditions: [{ name: original, how: "" }, ...degradations.map(({ name, how }) => ({ name, how }))],
  sets: sets.map(({ name, source, images }) => ({
    name,
    source,
    images: images.length,
    people: new Set(images.map(({ person }) => person)).size,
  })),
};
process.send!(plan);

type Found = readonly [LabelledImage, MeasuredFace];
type Faces = ReadonlyMap<LabelledImage, MeasuredFace>;
