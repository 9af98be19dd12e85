import { candidateIdCharactersMax } from "@faceline/contracts/http/compare";
import { Image } from "@faceline/contracts/http/image";
import { isNumbersText, readVector } from "@faceline/contracts/http/vector";
import { otherNames } from "../body/sent-fields.ts";
import { ApiError, inputError } from "../call/api-error.ts";
import { type InputValue, invalidVectorError } from "../images/inputs.ts";

/**
 * Returns the candidates of a comparison: vectors and images, bare or in an object with an id. The schema of
 * the body leaves them unparsed, because an invalid candidate does not fail the call: it is an ApiError in
 * `input`. Throws `too_many_candidates`.
 */
export function readCandidates(values: unknown[], limits: CandidateLimits): Candidate[] {
  const fields = values.map(candidateFields);
  const vectors = fields.filter(({ isVector }) => isVector).length;
  const images = fields.length - vectors;
  if (vectors > limits.CANDIDATE_VECTORS_MAX)
    throw tooManyError(limits.CANDIDATE_VECTORS_MAX, `${vectors} embeddings`);
  if (images > limits.CANDIDATE_IMAGES_MAX)
    throw tooManyError(limits.CANDIDATE_IMAGES_MAX, `${images} images`);
  return fields.map((each, index) => ({
    index,
    id: validId(each.id) ?? String(index),
    person: isPerson(each.person) ? each.person : null,
    modelVersion: each.modelVersion,
    input: candidateInput(each, index, limits),
  }));
}

function candidateInput(
  { isVector, value, modelVersion, person, foreignName, other }: CandidateFields,
  index: number,
  { vectorLengthMax }: CandidateLimits,
): InputValue | ApiError {
  const ref = { field: "candidates", index, label: `candidate ${index}` };
  if (person !== undefined && !isPerson(person)) {
    const rule = `must be a string of 1 to ${candidateIdCharactersMax} characters`;
    return inputError(ref, "invalid_request", `The person of ${ref.label} ${rule}.`);
  }
  if (foreignName !== undefined) {
    const detail = `${ref.label} has ${foreignName}, which is not a field of a candidate: write id, or person.`;
    return inputError(ref, "invalid_request", detail);
  }
  if (isVector) {
    const vector = readVector(value);
    if (vector === undefined) return invalidVectorError(ref, value, vectorLengthMax);
    return { ref, value: vector, modelVersion };
  }
  if (other !== undefined)
    return inputError(ref, "missing_image", `${ref.label} has neither vector nor img. ${other}`);
  const image = Image.optional().safeParse(value ?? undefined);
  if (image.success) return { ref, value: image.data };
  return inputError(ref, "invalid_request", `${ref.label} must be an image or an embedding.`);
}

/**
 * A list, even as text, is always a vector; Base64 or bytes only in the field `vector`, or in `embedding`,
 * which results of /represent have.
 */
function candidateFields(candidate: unknown): CandidateFields {
  if (isList(candidate)) return { isVector: true, value: candidate };
  if (typeof candidate !== "object" || candidate === null || candidate instanceof Uint8Array)
    return { isVector: false, value: candidate };
  const fields = candidate as Partial<Record<string, unknown>>;
  const { id, vector, embedding, img, value, model_version } = fields;
  const person = fields["person"] ?? undefined;
  const ofVector = vector ?? embedding;
  const named = ofVector ?? img ?? value;
  const other = named === undefined ? otherNames(candidate, candidateNames, "It") : undefined;
  const modelVersion = typeof model_version === "string" ? model_version : undefined;
  const hasName = id !== undefined || person !== undefined;
  return {
    id,
    person,
    foreignName: hasName ? undefined : foreignNames.find((name) => typeof fields[name] === "string"),
    modelVersion,
    isVector: isList(named) || (ofVector ?? null) !== null,
    value: named,
    other,
  };
}

const isList = (value: unknown): boolean =>
  Array.isArray(value) || (typeof value === "string" && isNumbersText(value));

/** What other libraries call an id or a person. */
const foreignNames = ["label", "name", "subject"];

const candidateNames = new Set(["id", "person", "vector", "embedding", "img", "value"]);

/**
 * Ids are only returned to the client: a number is accepted as a string, and anything else counts as no id.
 */
function validId(id: unknown): string | undefined {
  if (typeof id === "number") return String(id);
  return typeof id === "string" && id.length <= candidateIdCharactersMax ? id : undefined;
}

const tooManyError = (max: number, sent: string) =>
  new ApiError("too_many_candidates", `The request has ${sent} as candidates, and the limit is ${max}.`, {
    field: "candidates",
  });

type CandidateFields = {
  id?: unknown;
  person?: unknown;
  /** A name that was probably meant as `id` or `person`. */
  foreignName?: string | undefined;
  modelVersion?: string | undefined;
  isVector: boolean;
  value: unknown;
  /** A sentence about other fields, if none of these is present. */
  other?: string | undefined;
};

const isPerson = (person: unknown): person is string =>
  typeof person === "string" && person.length > 0 && person.length <= candidateIdCharactersMax;

/** A candidate without an id has its index, as a string. */
type Candidate = {
  index: number;
  id: string;
  person: string | null;
  modelVersion: string | undefined;
  input: InputValue | ApiError;
};

type CandidateLimits = {
  CANDIDATE_VECTORS_MAX: number;
  CANDIDATE_IMAGES_MAX: number;
  vectorLengthMax: number;
};
