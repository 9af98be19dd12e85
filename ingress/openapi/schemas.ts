import { Candidate, RawCandidate } from "@faceline/contracts/http/compare";
import { ErrorCode } from "@faceline/contracts/http/errors";
import { FacialArea } from "@faceline/contracts/http/facial-area";
import { Image } from "@faceline/contracts/http/image";
import { Problem } from "@faceline/contracts/http/problem";
import { RequestId } from "@faceline/contracts/http/reply-fields";
import { NamedVector, Vector } from "@faceline/contracts/http/vector";
import * as z from "zod";
import type { ComputeEndpoint } from "../src/endpoints/endpoint.ts";
import { computeEndpoints, serviceEndpoints } from "../src/endpoints/table.ts";

/**
 * Returns `components/schemas`: the schemas that services parse with as JSON Schema 2020-12, which OpenAPI
 * 3.1 uses unchanged.
 */
export function schemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const converted = z.toJSONSchema(registry, {
    // What clients send, so fields with defaults are optional. Replies may get more fields than their schema
    // has.
    io: "input",
    unrepresentable: "any",
    uri: (id) => refTo(id).$ref,
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === RawCandidate) Object.assign(jsonSchema, refTo("Candidate"));
      const { def } = zodSchema._zod;
      if (def.type === "default") jsonSchema.default ??= def.defaultValue as JsonSchema;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return Object.fromEntries(
    Object.entries(converted.schemas).map(([id, { $id: _id, $schema: _schema, ...schema }]) => [
      id,
      withAliases(schema as JsonSchema),
    ]),
  );
}

/** The parts that several schemas share, and the request and reply of every endpoint. */
const named: Record<string, z.ZodType> = Object.assign(
  { Image, Vector, NamedVector, Candidate, RequestId, ErrorCode, Problem, FacialArea },
  ...computeEndpoints.map(({ request, reply, arrayReplyOf }) => ({ ...request, ...arrayReplyOf, ...reply })),
  ...serviceEndpoints.map(({ reply }) => reply),
);

/** Adds the aliases of fields as properties. Where a field is required, any one of its names is. */
function withAliases({ aliases, ...schema }: JsonSchema): JsonSchema {
  if (aliases === undefined) return schema;
  const names = Object.entries(aliases);
  const required = new Set(schema.required);
  const anyName = names
    .map(([alias, field]) => [field, alias] as const)
    .filter(([field]) => required.has(field));
  for (const [field] of anyName) required.delete(field);
  return {
    ...schema,
    properties: {
      ...schema.properties,
      ...Object.fromEntries(
        names.map(([alias, field]) => [
          alias,
          { ...schema.properties?.[field], description: `Another name of \`${field}\`.` },
        ]),
      ),
    },
    required: [...required],
    allOf: [...Map.groupBy(anyName, ([field]) => field)].map(([field, others]) => ({
      anyOf: [field, ...others.map(([, alias]) => alias)].map((name) => ({ required: [name] })),
    })),
  };
}

/**
 * Returns the schema of the same request as a form: images may be files, and a list is a field that repeats.
 */
export function formSchema(schema: JsonSchema): JsonSchema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    name,
    isImage(property) ? { description: "A file, or what JSON would hold, as text." } : property,
  ]);
  return { ...schema, properties: Object.fromEntries(properties) as Record<string, JsonSchema> };
}

/** Whether a field holds an image, or an image or a vector. */
const isImage = ({ $ref, anyOf }: JsonSchema): boolean =>
  [$ref, ...((anyOf as JsonSchema[] | undefined) ?? []).map((option) => option["$ref"])].includes(
    refTo("Image").$ref,
  );

/** Returns the parameters of a query. */
export function queryParameters({ schema, descriptions }: NonNullable<ComputeEndpoint["query"]>) {
  const { properties } = z.toJSONSchema(schema, { io: "input" }) as JsonSchema;
  return Object.entries(properties ?? {}).map(([name, { default: standard, ...property }]) => ({
    name,
    in: "query",
    description: descriptions[name],
    schema: { ...property, ...(standard === undefined ? {} : { default: standard }) },
  }));
}

export const refTo = (id: string, kind = "schemas") => ({ $ref: `#/components/${kind}/${id}` });

export type JsonSchema = {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  aliases?: Record<string, string>;
  [keyword: string]: unknown;
};
