import {
  DetectorDetails,
  FalseMatchRateFrom,
  Features,
  Limits,
  ModelDetails,
  RunningBuild,
  ThresholdsCalibration,
} from "@faceline/contracts/http/capabilities";
import {
  Candidate,
  CandidateImage,
  CandidateVector,
  ComparedCandidate,
  FailedCandidate,
  RawCandidate,
} from "@faceline/contracts/http/compare";
import { Dependency } from "@faceline/contracts/http/dependency";
import { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import { ErrorCode } from "@faceline/contracts/http/errors";
import { FacialArea } from "@faceline/contracts/http/facial-area";
import { LaneHealth } from "@faceline/contracts/http/health";
import { Image, ImageOrVector, imageDescription, imageFileDescription } from "@faceline/contracts/http/image";
import { ErrorRates, ModelCard, Rate } from "@faceline/contracts/http/model-card";
import { Precision } from "@faceline/contracts/http/model-version";
import { Problem } from "@faceline/contracts/http/problem";
import { FaceQuality, MinQuality, QualityIssue } from "@faceline/contracts/http/quality";
import { ReferenceFace, References } from "@faceline/contracts/http/references";
import { EmbeddingFormat, RepresentResult } from "@faceline/contracts/http/represent";
import { ResponseWarning } from "@faceline/contracts/http/response-fields";
import { Flag } from "@faceline/contracts/http/request-body";
import { NamedVector, Vector } from "@faceline/contracts/http/vector";
import { FacePolicy } from "@faceline/contracts/http/verify";
import * as z from "zod";
import { computeEndpoints, serviceEndpoints } from "../src/endpoints/table.ts";

/**
 * Returns `components/schemas`: the schemas that services parse with as JSON Schema 2020-12, which OpenAPI
 * 3.1 uses unchanged.
 */
export function schemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const converted = z.toJSONSchema(registry, {
    // What clients send, so fields with defaults are optional. Responses may get more fields than their
    // schema has.
    io: "input",
    unrepresentable: "any",
    uri: (id) => refTo(id).$ref,
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === RawCandidate) Object.assign(jsonSchema, refTo("Candidate"));
      if (zodSchema === Flag) {
        delete jsonSchema.anyOf;
        // Words for booleans are accepted too.
        jsonSchema.type = "boolean";
      }
      const { def } = zodSchema._zod;
      if (def.type === "record") delete jsonSchema.propertyNames;
      if (def.type === "tuple") asList(jsonSchema as JsonSchema);
      if (def.type === "default") describeDefault(jsonSchema as JsonSchema, def.defaultValue);
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return Object.fromEntries(
    Object.entries(converted.schemas).flatMap(([id, { $id: _id, $schema: _schema, ...rest }]) => {
      const schema = withAliases(rest as JsonSchema);
      const form = isRequest(id) ? [[formName(id), formSchema(schema)]] : [];
      // oapi-codegen (Go) calls the whole response of `verify` VerifyResponse, and this is its body.
      return [[id, isResponse(id) ? { ...schema, "x-go-name": `${id}Body` } : schema], ...form];
    }),
  );
}

/** Moves a default into the description: openapi-typescript requires fields that have one. */
function describeDefault(schema: JsonSchema, value: unknown): void {
  delete schema["default"];
  if (schema.description !== undefined) schema.description += ` Defaults to \`${String(value)}\`.`;
}

/** Writes a tuple as a list of fixed length: few generators of clients know `prefixItems`. */
function asList(schema: JsonSchema): void {
  const { prefixItems = [] } = schema;
  delete schema.prefixItems;
  const length = prefixItems.length;
  Object.assign(schema, { items: prefixItems[0], minItems: length, maxItems: length });
}

/**
 * The parts that generators make types of, and the request and response of every endpoint. What is not named
 * here gets a name from its place, such as `compare_response_results_item_type_0`.
 */
const named: Record<string, z.ZodType> = Object.assign(
  {
    Image,
    Vector,
    NamedVector,
    ImageOrVector,
    References,
    ReferenceFace,
    Candidate,
    CandidateImage,
    CandidateVector,
    ErrorCode,
    Problem,
    ResponseWarning,
  },
  { ComparedCandidate, FailedCandidate, FacialArea, FaceQuality, QualityIssue, Dependency, LaneHealth },
  { DistanceMetric, FacePolicy, EmbeddingFormat, MinQuality, Precision, RepresentResult },
  { ModelDetails, DetectorDetails },
  { ModelCard, ErrorRates, Rate, RunningBuild, Limits, Features, ThresholdsCalibration, FalseMatchRateFrom },
  ...computeEndpoints.map(({ request, response }) => ({ ...request, ...response })),
  ...serviceEndpoints.map(({ response }) => response),
);

/** Names the aliases of fields in their descriptions: a generated client has one field for one thing. */
function withAliases({ aliases = {}, ...schema }: JsonSchema): JsonSchema {
  const names = Map.groupBy(Object.keys(aliases), (alias) => aliases[alias]!);
  for (const [field, others] of names) {
    const property = schema.properties![field]!;
    property.description += ` Also accepted as ${others.map((name) => `\`${name}\``).join(", ")}.`;
  }
  return schema;
}

const isRequest = (id: string): boolean => id.endsWith("Request");

const isResponse = (id: string): boolean => id.endsWith("Response");

export const formName = (request: string): string => request.replace(/Request$/, "Form");

/** Returns the schema of the same request as a form: images are files, and a list is a field that repeats. */
function formSchema(schema: JsonSchema): JsonSchema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    name,
    formField(property),
  ]);
  return { ...schema, properties: Object.fromEntries(properties) as Record<string, JsonSchema> };
}

/** Base64 is accepted too, as are embeddings: as JSON, or as a file of float32. */
function formField(property: JsonSchema): JsonSchema {
  const { $ref = "", items, description = "", ...more } = property;
  const rest = { ...more, description: description.replace(imageDescription, imageFileDescription) };
  if (items?.$ref === refTo("Candidate").$ref) return { ...rest, items: file };
  return fileTypes.has($ref) ? { ...file, ...rest } : property;
}

const file = { type: "string", format: "binary" };
const fileTypes = new Set(
  ["Image", "NamedVector", "ImageOrVector", "References"].map((name) => `#/components/schemas/${name}`),
);

export const refTo = (id: string, kind = "schemas") => ({ $ref: `#/components/${kind}/${id}` });

type JsonSchema = {
  $ref?: string;
  description?: string;
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  prefixItems?: JsonSchema[];
  aliases?: Record<string, string>;
  [keyword: string]: unknown;
};
