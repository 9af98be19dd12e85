import { candidateIdCharactersMax } from "@faceline/contracts/http/compare";
import type { Given } from "../images/inputs.ts";
import { Refusal } from "../refusal.ts";

/**
 * The candidates of a comparison: vectors and images, plain or with an id. One that makes no sense is not refused here:
 * it fails alone, with its own error, when it is opened.
 */
export function readCandidates(given: unknown[], limits: CandidateLimits): Candidate[] {
  const candidates = given.map(readCandidate);
  const vectors = candidates.filter(({ given }) => Array.isArray(given.value)).length;
  const images = candidates.length - vectors;
  if (vectors > limits.CANDIDATE_VECTORS_MAX) throw tooMany(limits.CANDIDATE_VECTORS_MAX, "vectors");
  if (images > limits.CANDIDATE_IMAGES_MAX) throw tooMany(limits.CANDIDATE_IMAGES_MAX, "images");
  return candidates;
}

function readCandidate(given: unknown, index: number): Candidate {
  const named = isNamed(given) ? given : { value: given };
  const place = { field: "candidates", index, called: `candidate ${index}` };
  return {
    id: idOf(named.id) ?? String(index),
    given: { place, value: named.vector ?? named.img ?? named.value },
  };
}

const isNamed = (given: unknown): given is NamedCandidate =>
  typeof given === "object" && given !== null && !Array.isArray(given) && !(given instanceof Uint8Array);

/** Ids only find their way back to the client: numbers are welcome, and what cannot be an id is as good as none. */
function idOf(id: unknown): string | undefined {
  if (typeof id === "number") return String(id);
  return typeof id === "string" && id.length <= candidateIdCharactersMax ? id : undefined;
}

const tooMany = (max: number, what: string) =>
  new Refusal("too_many_candidates", `A call takes at most ${max} candidate ${what}.`, {
    field: "candidates",
  });

type NamedCandidate = { id?: unknown; vector?: unknown; img?: unknown; value?: unknown };

/** An id that was not sent is the candidate's place, as a string. */
export type Candidate = { id: string; given: Given };
export type CandidateLimits = { CANDIDATE_VECTORS_MAX: number; CANDIDATE_IMAGES_MAX: number };
