import { referencesMax } from "@faceline/contracts/http/references";
import type { EmbeddingModel } from "@faceline/models/catalogue-entry";
import { ApiError, inputError } from "../call/api-error.ts";
import { unitVector } from "./distance.ts";
import type { RankedCandidate } from "./ranking.ts";
import type { Subject, SubjectFace } from "./subject.ts";
import { vectorFault } from "./vector-fault.ts";

/**
 * Returns one subject for several references of a person: its only face has the mean of their unit
 * embeddings. If one of them has no face, no face counts as found. A single reference is returned as it is.
 *
 * A reference with several faces is an ApiError, because it is not known which of them is the person: with a
 * wrong one, the mean would mix two people.
 */
export function averaged(references: Subject[], model: EmbeddingModel): Subject | ApiError {
  const [first, ...others] = references as [Subject, ...Subject[]];
  if (others.length === 0) return first;
  const crowd = references.find(({ faces }) => faces.length > 1);
  if (crowd !== undefined) return inputError(crowd.ref, "multiple_faces", manyFaces(crowd.ref.label));
  const faces = references.map(({ faces: [face] }) => face);
  const vector = sumOfUnits(faces);
  const fault = vectorFault(vector, model, "cosine");
  if (fault !== undefined)
    return inputError(first.ref, "invalid_vector", "The references of a person cancel each other out.");
  const least = faces.find(({ area }) => area?.face_found === false) ?? faces.find(({ area }) => area);
  return {
    ref: first.ref,
    faces: [{ vector, area: least?.area ?? null, confidence: 1, quality: null }],
    build: first.build,
  };
}

/**
 * Returns what is compared: candidates with the same `person` as one, in the place of the first of them. If
 * one of them failed, the person fails with its error: a mean of the others would hide that.
 */
export function onePerPerson(candidates: PersonCandidate[], model: EmbeddingModel): RankedCandidate[] {
  const people = Map.groupBy(candidates, ({ person }, index) => person ?? index).values();
  return Array.from(people, (references) => {
    const failed = references.find(({ subject }) => subject instanceof ApiError);
    const subjects = references.map((each) => each.subject as Subject);
    const subject = failed?.subject ?? averaged(subjects, model);
    const faulty = subject instanceof ApiError ? subject.details.index : undefined;
    const shown = references.find(({ index }) => index === faulty) ?? references[0]!;
    const isOne = subject instanceof ApiError || references.length === 1;
    const areas = isOne ? {} : { areas: subjects.map(({ faces: [face] }) => face.area) };
    return { ...shown, subject, references: references.length, ...areas };
  });
}

/** Returns how many references the person with most of them has, or throws `too_many_candidates`. */
export function mostReferences(people: readonly (string | null)[]): number {
  const counts = new Map<string, number>();
  for (const person of people) if (person !== null) counts.set(person, (counts.get(person) ?? 0) + 1);
  const most = Math.max(1, ...counts.values());
  if (most <= referencesMax) return most;
  const detail = `${most} candidates have the same person, and the limit is ${referencesMax}.`;
  throw new ApiError("too_many_candidates", detail, { field: "candidates" });
}

/** The sum has the direction of the mean, and the metrics of references do not depend on its length. */
function sumOfUnits(faces: SubjectFace[]): Float64Array {
  const sum = new Float64Array(faces[0]!.vector.length);
  for (const { vector } of faces) {
    const unit = unitVector(vector);
    for (let i = 0; i < sum.length; i++) sum[i]! += unit[i]!;
  }
  return sum;
}

const manyFaces = (label: string): string =>
  `${label} is one of several references of a person and shows several faces: crop it to the person, or leave small faces out with min_face_px.`;

/** A candidate of /compare, with the faces that it shows. */
type PersonCandidate = Omit<RankedCandidate, "references">;
