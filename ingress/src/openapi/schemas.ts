import { CapabilitiesReply } from "@faceline/contracts/http/capabilities";
import { Candidate, CompareReply, CompareRequest, RawCandidate } from "@faceline/contracts/http/compare";
import { ErrorCode } from "@faceline/contracts/http/errors";
import { FacialArea } from "@faceline/contracts/http/facial-area";
import { HealthReply, LiveReply } from "@faceline/contracts/http/health";
import { Image } from "@faceline/contracts/http/image";
import { Problem } from "@faceline/contracts/http/problem";
import { RequestId } from "@faceline/contracts/http/reply-fields";
import { RepresentReply, RepresentRequest, RepresentResult } from "@faceline/contracts/http/represent";
import { Vector } from "@faceline/contracts/http/vector";
import { VerifyReply, VerifyRequest } from "@faceline/contracts/http/verify";
import * as z from "zod";

/** The schemas that services parse with, as `components/schemas`: JSON Schema 2020-12, which OpenAPI 3.1 takes as it is. */
export function schemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const converted = z.toJSONSchema(registry, {
    // What callers write, with defaults optional. Of replies it says the least that they hold: fields may be added.
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

const named = {
  Image,
  Vector,
  Candidate,
  RequestId,
  ErrorCode,
  Problem,
  FacialArea,
  VerifyRequest,
  VerifyReply,
  RepresentRequest,
  RepresentResult,
  RepresentReply,
  CompareRequest,
  CompareReply,
  CapabilitiesReply,
  HealthReply,
  LiveReply,
};

/** Other names of a field stand beside it, and any of them will do where it is required. */
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

/** The same call as a form: images may be files, and a list is a field that repeats. */
export function formOf(schema: JsonSchema): JsonSchema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    name,
    mayBeFile.has(name) ? { description: "A file, or what JSON would hold, as text." } : property,
  ]);
  return { ...schema, properties: Object.fromEntries(properties) as Record<string, JsonSchema> };
}

const mayBeFile = new Set(["img", "img_path", "img1", "img1_path", "img2", "img2_path"]);

export const refTo = (id: string, kind = "schemas") => ({ $ref: `#/components/${kind}/${id}` });

export type JsonSchema = {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  aliases?: Record<string, string>;
  [keyword: string]: unknown;
};
