import { candidateIdCharactersMax } from "@faceline/contracts/http/compare";
import { Image } from "@faceline/contracts/http/image";
import { isVector } from "@faceline/contracts/http/vector";
import { ApiError, inputError } from "../call/api-error.ts";
import { type InputValue, invalidVectorError } from "../images/inputs.ts";

/**
 * Returns the candidates of a comparison: vectors and images, bare or in an object with an id. The schema of
 * the body leaves them unparsed, because an invalid candidate does not fail the call: it is an ApiError in
 * `input`. Throws `too_many_candidates`.
 */
export function readCandidates(values: unknown[], limits: CandidateLimits): Candidate[] {
  const fields = values.map(candidateFields);
  const vectors = fields.filter(({ value }) => Array.isArray(value)).length;
  const images = fields.length - vectors;
  if (vectors > limits.CANDIDATE_VECTORS_MAX) throw tooManyError(limits.CANDIDATE_VECTORS_MAX, "embeddings");
  if (images > limits.CANDIDATE_IMAGES_MAX) throw tooManyError(limits.CANDIDATE_IMAGES_MAX, "images");
  return fields.map(({ id, value }, index) => ({
    id: validId(id) ?? String(index),
    input: candidateInput(value, index),
  }));
}

function candidateInput(value: unknown, index: number): InputValue | ApiError {
  const ref = { field: "candidates", index, label: `candidate ${index}` };
  if (Array.isArray(value)) {
    return isVector(value) ? { ref, value } : invalidVectorError(ref);
  }
  const image = Image.optional().safeParse(value ?? undefined);
  if (image.success) return { ref, value: image.data };
  return inputError(ref, "invalid_request", `${ref.label} must be an image or an embedding.`);
}

function candidateFields(candidate: unknown): { id?: unknown; value: unknown } {
  if (typeof candidate !== "object" || candidate === null) return { value: candidate };
  if (Array.isArray(candidate) || candidate instanceof Uint8Array) return { value: candidate };
  const { id, vector, img, value } = candidate as Record<"id" | "vector" | "img" | "value", unknown>;
  return { id, value: vector ?? img ?? value };
}

/**
 * Ids are only returned to the client: a number is accepted as a string, and anything else counts as no id.
 */
function validId(id: unknown): string | undefined {
  if (typeof id === "number") return String(id);
  return typeof id === "string" && id.length <= candidateIdCharactersMax ? id : undefined;
}

const tooManyError = (max: number, what: string) =>
  new ApiError("too_many_candidates", `A request may have at most ${max} ${what} as candidates.`, {
    field: "candidates",
  });

/** A candidate without an id has its index, as a string. */
type Candidate = { id: string; input: InputValue | ApiError };

type CandidateLimits = {
  CANDIDATE_VECTORS_MAX: number;
  CANDIDATE_IMAGES_MAX: number;
};
