import { readCatalogue } from "@faceline/models/catalogue";
import { openConfigurations } from "./accuracy/configurations.ts";
import { degradations } from "./accuracy/degradations.ts";
import { comparisonsOf, type Looks, lookAt, type Seen } from "./accuracy/looks.ts";
import { type Comparison, distances, type Tally, tallyOf } from "./accuracy/tally.ts";
import { decodePicture } from "./decode/decoder.ts";
import { pictureLimits } from "./decode/picture.ts";
import type { Pixels } from "./detect/letterbox.ts";
import { labelledPairs, labelledPhotograph } from "./engine/photographs.ts";

// How right the engine is over the labelled photographs, and over worse copies of them, in each configuration. A
// benchmark starts this as a process and asks for one case after the other, "as it is" first:
//
//     accuracy.bench.ts all | quick        ──► { configurations, reference, usual, served, fallbacks, cases, thresholds }
//     { case: "as it is" }, { case: "roll" }  ──► { rows: [{ configuration, detected, cosine, euclidean, … }] }
//     { across: true }                     ──► { cosine, euclidean }: one picture by one served way, the other by another
//
// `quick` measures two of the configurations: the reference and the one that is usual here.

const quick = process.argv[2] === "quick";
const configurations = await openConfigurations(process.env["MODELS_DIR"]!);
const { reference, usual, served, fallbacks } = configurations;
const measured = configurations.all.filter(({ name }) => !quick || name === reference || name === usual);
const { thresholds } = (await readCatalogue()).find("embedding", "Dlib")!;
const pairs = labelledPairs();
const names = [...new Set(pairs.flatMap(({ left, right }) => [left, right]))].toSorted();

const AS_IS = "as it is";
const clean = new Map<string, Looks>();

async function measure(name: string): Promise<Row[]> {
  const looks = new Map(measured.map((each) => [each.name, new Map<string, Seen>()]));
  const tookMs = new Map(measured.map((each) => [each.name, [] as number[]]));
  for (const file of names) {
    const picture = await pictureOf(file, name);
    for (const { name, pipeline } of measured) {
      const begunAt = performance.now();
      const seen = await lookAt(picture, pipeline);
      tookMs.get(name)!.push(performance.now() - begunAt);
      if (seen !== undefined) looks.get(name)!.set(file, seen);
    }
  }
  if (name === AS_IS) for (const [configuration, each] of looks) clean.set(configuration, each);
  return measured.map((configuration): Row => {
    const these = looks.get(configuration.name)!;
    const both = comparisonsOf(pairs, these, clean.get(configuration.name)!);
    const own = tookMs.get(configuration.name)!.toSorted((a, b) => a - b);
    return {
      configuration: configuration.name,
      of: names.length,
      detected: these.size,
      missed: names.filter((file) => !these.has(file)),
      ...tallies(name === AS_IS ? both.filter((_, i) => i % 2 === 0) : both),
      offReference: offReference(these, looks.get(reference)!),
      medianMs: own[own.length >> 1]!,
    };
  });
}

/** As it is, or worse by one of the degradations. */
async function pictureOf(file: string, name: string): Promise<Pixels> {
  const picture = await decoded(labelledPhotograph(file));
  if (name === AS_IS) return picture;
  const box = clean.get(reference)!.get(file)?.box;
  if (box === undefined) throw new Error(`the reference finds no face in ${file} as it is`);
  return decoded(await degradations.find((each) => each.name === name)!.of(picture, box));
}

async function decoded(bytes: Uint8Array): Promise<Pixels> {
  const picture = await decodePicture(bytes, pictureLimits);
  if (picture.kind === "rejected") throw new Error(`a picture cannot be read: ${picture.code}`);
  return picture;
}

/** The embeddings of one person that were made in one way and kept, and those of another worker: any two may meet. */
function across(): { cosine: Tally; euclidean: Tally } {
  const ways = measured.flatMap(({ name }) => (served.includes(name) ? clean.get(name)! : []));
  return tallies(ways.flatMap((these) => ways.flatMap((those) => comparisonsOf(pairs, these, those))));
}

function tallies(comparisons: readonly Comparison[]): { cosine: Tally; euclidean: Tally } {
  const by = (metric: "cosine" | "euclidean") =>
    tallyOf(comparisons, { of: distances[metric], threshold: thresholds[metric] });
  return { cosine: by("cosine"), euclidean: by("euclidean") };
}

/** How far the embeddings of the same pictures are from the reference's, in euclidean distance. */
function offReference(these: Looks, those: Looks): Row["offReference"] {
  const off = [...these].flatMap(([file, { embedding }]) => {
    const other = those.get(file);
    return other === undefined ? [] : distances.euclidean(embedding, other.embedding);
  });
  if (off.length === 0) return null;
  return { mean: off.reduce((sum, each) => sum + each, 0) / off.length, max: Math.max(...off) };
}

process.on("message", (asked: { case?: string }) => {
  const answer = asked.case === undefined ? Promise.resolve(across()) : measure(asked.case);
  void answer.then((said) => process.send!(said));
});
process.once("disconnect", () => process.exit());
process.send!({
  configurations: measured.map(({ name }) => name),
  reference,
  usual,
  served,
  fallbacks,
  thresholds,
  cases: [{ name: AS_IS, how: "" }, ...degradations.map(({ name, how }) => ({ name, how }))],
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
  /** Milliseconds of a picture that is decoded, in one thread. */
  medianMs: number;
};
