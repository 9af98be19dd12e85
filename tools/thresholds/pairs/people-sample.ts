import { distancesMax, type EmbeddingModel } from "@faceline/models/catalogue-entry";
import { failureCounts, type LaneFaces } from "../measure.ts";
import type { Analyses, LaneSample } from "../report/report.ts";
import { compareAll, type Enrolment, pairsOf } from "../statistics/all-pairs.ts";
import { analyseAll } from "../statistics/all-pairs-analysis.ts";
import type { PeopleFolder } from "./people-folder.ts";

/**
 * Measures all pairs of images in a lane; those of a group are pairs of its people. Throws one sentence if
 * too few images have a face.
 */
export function peopleSample(
  { people, images }: PeopleFolder,
  faces: LaneFaces,
  options: PeopleOptions,
): LaneSample {
  let at = 0;
  const embeddings = people.map((person) => {
    at += person.images;
    return Array.from({ length: person.images }, (_, i) => faces.embeddings[at - person.images + i]);
  });
  const { analyses, same, different, people: enrolled } = measured(embeddings, options);
  if (analyses === undefined) {
    throw new Error(
      `${faces.lane}: no two images of one person or of two people have faces; there is nothing to measure`,
    );
  }
  const groups = [...Map.groupBy(people.keys(), (person) => people[person]!.group)].flatMap(([group, own]) =>
    group === undefined
      ? []
      : [
          {
            group,
            ...measured(
              own.map((person) => embeddings[person]!),
              options,
            ),
          },
        ],
  );
  return {
    lane: faces.lane,
    images: images.length,
    failures: failureCounts(faces),
    severalFaces: faces.severalFaces,
    pairs: pairsOf(images.length),
    pairsLost: pairsOf(images.length) - same - different,
    people: enrolled,
    peopleFrom: "folders",
    analyses,
    groups,
  };
}

function measured(people: readonly PersonEmbeddings[], { model, progress }: PeopleOptions): Measured {
  const enrolment = enrolmentOf(people, model.embedding_size);
  const faces = people.map((person) => person.filter((each) => each !== undefined).length);
  const same = faces.reduce((sum, count) => sum + pairsOf(count), 0);
  const different = pairsOf(enrolment.starts.at(-1)!) - same;
  const enrolled = faces.filter((count) => count > 0).length;
  const counts = { same, different, people: enrolled };
  if (same === 0 || different === 0) return { ...counts, analyses: undefined };
  const all = compareAll(enrolment, { distancesMax: distancesMax(model), progress });
  return {
    ...counts,
    analyses: {
      cosine: analyseAll(all.cosine, enrolled),
      euclidean: analyseAll(all.euclidean, enrolled),
      euclidean_l2: analyseAll(all.euclidean_l2, enrolled),
    },
  };
}

/** Copies embeddings into one block. */
function enrolmentOf(people: readonly PersonEmbeddings[], size: number): Enrolment {
  const faces = people.map((person) => person.filter((each) => each !== undefined));
  const starts = new Int32Array(people.length + 1);
  for (const [person, own] of faces.entries()) starts[person + 1] = starts[person]! + own.length;
  const vectors = new Float32Array(starts.at(-1)! * size);
  for (const [index, embedding] of faces.flat().entries()) vectors.set(embedding, index * size);
  const failed = Int32Array.from(people, (person, index) => person.length - faces[index]!.length);
  return { size, vectors, starts, failed };
}

type PersonEmbeddings = readonly (Float32Array | undefined)[];
type PeopleOptions = { model: EmbeddingModel; progress: (done: number, of: number) => void };
type Measured = { same: number; different: number; people: number; analyses: Analyses | undefined };
