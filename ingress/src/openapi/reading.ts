import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { LightMyRequestResponse } from "fastify";
import { readSnapshot } from "./snapshot.ts";

/**
 * The committed document as a reader has it, for tests: it tells whether a body or an answer is what the document says.
 */
export const document = JSON.parse(readSnapshot()) as Document;

const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false, allErrors: true });
ajv.addSchema(document, "api");

/** What is wrong with a value, by a schema of the document. */
export function faultsOf(pointer: string, value: unknown): string {
  const check = ajv.compile({ $ref: `api#${pointer}` });
  return check(value) ? "" : ajv.errorsText(check.errors);
}

/** Fails unless this answer is one that the document promises, with its headers and its schema. */
export function assertDocumented(path: string, method: string, answer: LightMyRequestResponse): void {
  const { responses } = document.paths[path]![method]!;
  const status = answer.statusCode in responses ? String(answer.statusCode) : "default";
  const at = pointerTo("paths", path, method, "responses", status);
  const response = resolve(responses[status]!);
  const pointer = responses[status]!.$ref?.slice(1) ?? at;
  assert.ok(response, `${method} ${path} → ${answer.statusCode} is not documented`);
  for (const [name, header] of Object.entries(response.headers ?? {})) {
    const { required } = resolve(header);
    if (required) assert.ok(answer.headers[name.toLowerCase()], `${answer.statusCode} without ${name}`);
  }
  const [type] = String(answer.headers["content-type"]).split(";");
  assert.ok(response.content?.[type!], `${path} → ${answer.statusCode} as ${type}`);
  const faults = faultsOf(`${pointer}${pointerTo("content", type!, "schema")}`, answer.json());
  assert.equal(faults, "", `${path} → ${answer.statusCode}`);
}

export const pointerTo = (...names: string[]): string =>
  names.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** Follows a reference into components. */
function resolve(part: Part): Part {
  if (part.$ref === undefined) return part;
  const [, , kind, name] = part.$ref.split("/");
  return document.components[kind!]![name!]!;
}

type Part = {
  $ref?: string;
  required?: boolean;
  headers?: Record<string, Part>;
  content?: Record<string, { examples?: Record<string, { value: unknown }> }>;
};
export type Document = {
  paths: Record<string, Record<string, { requestBody?: Part; responses: Record<string, Part> }>>;
  components: Record<string, Record<string, Part>>;
};
