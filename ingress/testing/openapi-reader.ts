import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { LightMyRequestResponse } from "fastify";
import { openApiText } from "@faceline/contracts/http/open-api";

/** The committed document, for tests that hold requests and responses against it. */
export const document = JSON.parse(openApiText) as Document;

const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false, allErrors: true });
ajv.addSchema(document, "api");

/** Returns what is wrong with a value by the schema at `pointer` in the document; "" if nothing is. */
export function schemaErrors(pointer: string, value: unknown): string {
  const check = ajv.compile({ $ref: `api#${pointer}` });
  return check(value) ? "" : ajv.errorsText(check.errors);
}

/** Fails unless the document has this response: its status, its headers, its content type and its schema. */
export function assertDocumented(path: string, method: string, reply: LightMyRequestResponse): void {
  const { responses } = document.paths[path]![method]!;
  const status = reply.statusCode in responses ? String(reply.statusCode) : "default";
  const at = jsonPointer("paths", path, method, "responses", status);
  const response = resolve(responses[status]!);
  const pointer = responses[status]!.$ref?.slice(1) ?? at;
  assert.ok(response, `${method} ${path} → ${reply.statusCode} is not documented`);
  for (const [name, header] of Object.entries(response.headers ?? {})) {
    const { required } = resolve(header);
    if (required) assert.ok(reply.headers[name.toLowerCase()], `${reply.statusCode} without ${name}`);
  }
  const [type] = String(reply.headers["content-type"]).replace("problem+", "").split(";");
  assert.ok(response.content?.[type!], `${path} → ${reply.statusCode} as ${type}`);
  const faults = schemaErrors(`${pointer}${jsonPointer("content", type!, "schema")}`, reply.json());
  assert.equal(faults, "", `${path} → ${reply.statusCode}`);
  // A response with errors has an example of each of its codes.
  const { error } = reply.json() as { error?: string };
  const codes = response.content[type!]!.examples;
  if (error && codes) assert.ok(error in codes, `${path} → ${reply.statusCode} ${error}`);
}

/** Returns a JSON pointer (RFC 6901). */
export const jsonPointer = (...names: string[]): string =>
  names.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** Follows a reference into `components`. */
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
type Operation = {
  description?: string;
  security?: object[];
  requestBody?: Part;
  responses: Record<string, Part>;
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, Part>>;
};
