import { decodePicture } from "@faceline/inference/decode/decoder";
import { defaultPictureLimits } from "@faceline/inference/decode/picture";
import type { Pixels } from "@faceline/inference/geometry/pixels";
import { distances } from "@faceline/inference/testing/distances";
import {
  type EmbeddedFace,
  type FacesByPicture,
  largestFace,
} from "@faceline/inference/testing/largest-face";
import { labelledPairs, labelledPhotograph } from "@faceline/inference/testing/photographs";
import type { EmbeddingModel } from "@faceline/models/catalogue-entry";
import { openConfigurations } from "./configurations.ts";
import { degradations } from "./degradations.ts";
import { type Comparison, pairComparisons, type Tally, tally } from "./tally.ts";

// The engine's accuracy over the labelled photographs and over degraded copies of them, in each
// configuration. A benchmark starts this as a process and asks for one case after another, "as it is" first:
//
//     accuracy.bench.ts all | quick  ──► { configurations, reference, usual, served, cases, … }
//     { case: "as it is" }, …  ──► { rows: [{ configuration, detected, cosine, euclidean, … }] }
//     { across: true }          ──► { cosine, euclidean }: each picture of a pair by another served way
//
// `quick` measures two of the configurations: the reference, and the usual one of this machine.

const quick = process.argv[2] === "quick";
const configurations = await openConfigurations(process.env["MODELS_DIR"]!);
const { reference, usual, served, fallbacks, unpulled } = configurations;
const measured = configurations.all.filter(({ name }) => !quick || name === reference || name === usual);
const referenceModel = configurations.all.find(({ name }) => name === reference)!.embedding;
const pairs = labelledPairs();
const names = [...new Set(pairs.flatMap(({ left, right }) => [left, right]))].toSorted();

const original = "as it is";
const originalFaces = new Map<string, FacesByPicture>();

async function measure(name: string): Promise<Row[]> {
  const faces = new Map(measured.map((each) => [each.name, new Map<string, EmbeddedFace>()]));
  const tookMs = new Map(measured.map((each) => [each.name, [] as number[]]));
  for (const file of names) {
    const picture = await pictureOf(file, name);
    for (const { name, pipeline } of measured) {
      const startedAt = performance.now();
      const face = await largestFace(picture, pipeline);
      tookMs.get(name)!.push(performance.now() - startedAt);
      if (face !== undefined) faces.get(name)!.set(file, face);
    }
  }
  if (name === original) for (const [configuration, each] of faces) originalFaces.set(configuration, each);
  return measured.map((configuration): Row => {
    const ownFaces = faces.get(configuration.name)!;
    const comparisons = pairComparisons(pairs, ownFaces, originalFaces.get(configuration.name)!);
    const sortedMs = tookMs.get(configuration.name)!.toSorted((a, b) => a - b);
    return {
      configuration: configuration.name,
      of: names.length,
      detected: ownFaces.size,
      missed: names.filter((file) => !ownFaces.has(file)),
      ...tallies(
        configuration.embedding,
        name === original ? comparisons.filter((_, i) => i % 2 === 0) : comparisons,
      ),
      offReference:
        configuration.embedding.name === referenceModel.name
          ? offReference(ownFaces, faces.get(reference)!)
          : null,
      medianMs: sortedMs[sortedMs.length >> 1]!,
    };
  });
}

/** The original picture, or one of its degradations. */
async function pictureOf(file: string, name: string): Promise<Pixels> {
  const picture = await decoded(labelledPhotograph(file));
  if (name === original) return picture;
  const box = originalFaces.get(reference)!.get(file)?.box;
  if (box === undefined) throw new Error(`the reference finds no face in ${file} as it is`);
  return decoded(await degradations.find((each) => each.name === name)!.apply(picture, box));
}

async function decoded(bytes: Uint8Array): Promise<Pixels> {
  const picture = await decodePicture(bytes, defaultPictureLimits);
  if (picture.kind === "rejected") throw new Error(`a picture cannot be read: ${picture.code}`);
  return picture;
}

/** Comparisons across served configurations: a stored embedding meets one that another worker made. */
function across(): { cosine: Tally; euclidean: Tally } {
  const sets = measured.flatMap(({ name }) => (served.includes(name) ? originalFaces.get(name)! : []));
  const comparisons = sets.flatMap((ones) => sets.flatMap((others) => pairComparisons(pairs, ones, others)));
  return tallies(referenceModel, comparisons);
}

function tallies(
  { thresholds }: EmbeddingModel,
  comparisons: readonly Comparison[],
): { cosine: Tally; euclidean: Tally } {
  const by = (metric: "cosine" | "euclidean") =>
    tally(comparisons, { distance: distances[metric], threshold: thresholds[metric] });
  return { cosine: by("cosine"), euclidean: by("euclidean") };
}

/** Euclidean distance between embeddings of the same pictures and those of the reference, of one model. */
function offReference(faces: FacesByPicture, referenceFaces: FacesByPicture): Row["offReference"] {
  const off = [...faces].flatMap(([file, { embedding }]) => {
    const other = referenceFaces.get(file);
    return other === undefined ? [] : distances.euclidean(embedding, other.embedding);
  });
  if (off.length === 0) return null;
  return { mean: off.reduce((sum, each) => sum + each, 0) / off.length, max: Math.max(...off) };
}

process.on("message", (request: { case?: string }) => {
  const answer = request.case === undefined ? Promise.resolve(across()) : measure(request.case);
  void answer.then((reply) => process.send!(reply));
});
process.once("disconnect", () => process.exit());
process.send!({
  configurations: measured.map(({ name }) => name),
  reference,
  usual,
  served,
  fallbacks,
  unpulled,
  thresholds: referenceModel.thresholds,
  cases: [{ name: original, how: "" }, ...degradations.map(({ name, how }) => ({ name, how }))],
  people: { pictures: names.length, pairs: pairs.length },
});

type Row = {
  configuration: string;
  /** Pictures. */
  of: number;
  detected: number;
  missed: string[];
  cosine: Tally;
  euclidean: Tally;
  offReference: { mean: number; max: number } | null;
  /** Milliseconds of a decoded picture, on one thread. */
  medianMs: number;
};
