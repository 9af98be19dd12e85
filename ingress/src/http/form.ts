import { formLists, formNumbers } from "@faceline/contracts/http/form-fields";
import { Refusal } from "../refusal.ts";
import { type JsonLimits, JsonReader, tooManyCandidates } from "./json.ts";

/**
 * The body that a form stands for: texts and files under the names of the fields. A text that begins like a list or an
 * object is JSON (no Base64 does), empty texts are absent, and fields of candidates may repeat.
 */
export function formBody(entries: FormEntry[], limits: JsonLimits): Record<string, unknown> {
  const json = new JsonReader(limits);
  const fields = new Map<string, unknown[]>();
  for (const [name, value] of entries) {
    if (value === "") continue;
    const given = typeof value === "string" ? readText(name, value, json) : value;
    const others = fields.get(name);
    if (others === undefined) fields.set(name, [given]);
    else others.push(given);
  }
  return Object.fromEntries(Array.from(fields, ([name, given]) => [name, oneOrList(name, given)]));
}

function readText(name: string, text: string, json: JsonReader): unknown {
  if (/^\s*[[{]/.test(text)) return json.read(Buffer.from(text), "A field of the form");
  if (formNumbers.has(name) && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  return text;
}

function oneOrList(name: string, given: unknown[]): unknown {
  const [first] = given;
  // One list is the list itself: `candidates=[[1, 0], [0, 1]]`.
  if (formLists.has(name)) return given.length === 1 && Array.isArray(first) ? first : given;
  if (given.length === 1) return first;
  throw new Refusal("invalid_request", "A field stands in the form twice that holds one value.");
}

/** How many fields a form may have: every candidate, and those that a call has besides. */
export const formFieldsMax = (limits: JsonLimits): number => candidatesMax(limits) + 64;

/** Where there are more. */
export function tooManyFields(names: string[], limits: JsonLimits): Refusal {
  const candidates = names.filter((name) => formLists.has(name)).length;
  if (candidates > candidatesMax(limits)) return tooManyCandidates(candidatesMax(limits));
  return new Refusal("invalid_request", `A form takes at most ${formFieldsMax(limits)} fields.`);
}

const candidatesMax = (limits: JsonLimits): number =>
  limits.CANDIDATE_VECTORS_MAX + limits.CANDIDATE_IMAGES_MAX;

export type FormEntry = [name: string, value: string | Buffer];
