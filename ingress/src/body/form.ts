import { formFields, formLists, formNumbers } from "@faceline/contracts/http/form-fields";
import { isPlainName } from "@faceline/contracts/http/likely-field";
import { isNumbersText, numbersOfText } from "@faceline/contracts/http/vector";
import { ApiError } from "../call/api-error.ts";
import { JsonParser, tooManyCandidatesError } from "./json.ts";
import type { BodyLimits } from "./json-limits.ts";

/**
 * Returns the body that the fields of a form stand for, as JSON would hold it. A string that begins like a
 * list or an object is parsed as JSON (Base64 never does), an empty one counts as absent, and the fields of
 * candidates may repeat. Throws an ApiError.
 */
export function bodyFromForm(entries: FormEntry[], limits: BodyLimits): Record<string, unknown> {
  const json = new JsonParser(limits);
  const fields = new Map<string, unknown[]>();
  for (const [sentName, value] of entries) {
    if (value === "") continue;
    // PHP, Rails and some HTTP clients mark lists this way.
    const name = sentName.replace(/\[\d*\]$/, "");
    const parsed = typeof value === "string" ? parseText(name, value, json) : value;
    // An object under another name, such as "request" or "data", holds the fields of the request.
    const isRequest = !formFields.has(name) && isObject(parsed);
    for (const [field, each] of isRequest ? Object.entries(parsed) : [[name, parsed] as const]) {
      const previous = fields.get(field);
      if (previous === undefined) fields.set(field, [each]);
      else previous.push(each);
    }
  }
  return Object.fromEntries(Array.from(fields, ([name, values]) => [name, oneOrList(name, values)]));
}

function parseText(name: string, text: string, json: JsonParser): unknown {
  // Whoever reads the field reports what was printed.
  if (isNumbersText(text) && /\.\.\./.test(text)) return text;
  if (isJson(text))
    return (
      numbersOfText(text) ??
      json.parse(Buffer.from(text), `The form field ${isPlainName(name) ? name : ""}`.trim())
    );
  if (formNumbers.has(name) && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  return text;
}

function oneOrList(name: string, values: unknown[]): unknown {
  const [first] = values;
  // A single list is the whole list: `candidates=[[1, 0], [0, 1]]`.
  if (formLists.has(name)) return values.length === 1 && Array.isArray(first) ? first : values;
  if (values.length === 1 || !formFields.has(name)) return first;
  // References of one person.
  if (/^img1(_path)?$/.test(name)) return values;
  const times = values.length === 2 ? "twice" : `${values.length} times: ${fileAdvice}`;
  throw new ApiError("invalid_request", `The form field ${name} takes one value and was sent ${times}.`);
}

/**
 * Returns the Base64 of an urlencoded field with its plus signs. "curl -d" sends them unencoded, and in such
 * a form they mean spaces, which Base64 does not have.
 */
export function withPlusSigns(name: string, value: string): string {
  if (!value.includes(" ") || !base64Field.test(name) || isJson(value)) return value;
  const base64At = value.indexOf(",") + 1;
  return value.slice(0, base64At) + value.slice(base64At).trimStart().replaceAll(" ", "+");
}

/** Images and embeddings, and their aliases. */
const base64Field =
  /^(img[12]?(_path)?|(source_)?vector|candidates|target_vectors?|vectors|vector_b)(\[\d*\])?$/;

/** Excludes the names of JavaScript and Java objects, which are reported as a missing image. */
const isJson = (text: string): boolean => /^\s*[[{](?!object[ +]|B@)/.test(text);

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);

/** The number of fields that a form may have: one for each candidate, and 64 for all others. */
export const formFieldsMax = (limits: BodyLimits): number => candidatesMax(limits) + 64;

/** The error for a form with more fields; `names` are those of the first ones. */
export function tooManyFieldsError(names: string[], limits: BodyLimits): ApiError {
  const candidates = names.filter((name) => formLists.has(name)).length;
  if (candidates > candidatesMax(limits)) return tooManyCandidatesError(candidatesMax(limits));
  const advice = names[0] === names[1] ? `: ${fileAdvice}` : "";
  return new ApiError("invalid_request", `A form takes at most ${formFieldsMax(limits)} fields${advice}.`);
}

/** An open file in `data=` of Python's requests is sent as a field for each of its lines. */
const fileAdvice = "send an image as a file of the form (in Python's requests: files=, not data=)";

const candidatesMax = (limits: BodyLimits): number =>
  limits.CANDIDATE_VECTORS_MAX + limits.CANDIDATE_IMAGES_MAX;

export type FormEntry = [name: string, value: string | Buffer];
