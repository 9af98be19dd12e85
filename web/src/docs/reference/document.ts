/** The parts of an OpenAPI 3.1 document that the reference reads. */
export type OpenApi = {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, Parameter>;
    headers: Record<string, Header>;
    responses: Record<string, ApiResponse>;
  };
};

export type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: object[];
  parameters: (Parameter | Ref)[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, ApiResponse | Ref>;
};

type Ref = { $ref: string };
type Parameter = {
  name: string;
  in: string;
  description?: string;
  required?: boolean;
  schema: Schema;
};
export type Header = { description?: string; required?: boolean; schema: Schema };
type Media = { schema: Schema; examples?: Record<string, { summary: string; value: unknown }> };
export type ApiResponse = {
  description: string;
  headers?: Record<string, Header | Ref>;
  content?: Record<string, Media>;
};

/** JSON Schema 2020-12. The keywords are those that ./schema-text.ts knows. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema;
  items?: Schema;
  anyOf?: Schema[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  format?: string;
  contentEncoding?: string;
};

/** Returns a copy with short lists of values in place of their names: readers see the values at the field. */
export function withEnumsInPlace(document: OpenApi): OpenApi {
  const { schemas } = document.components;
  return JSON.parse(JSON.stringify(document), (_key, value: unknown) => {
    const name = refName(value ?? {});
    const named = name === undefined ? undefined : schemas[name];
    if ((named?.enum?.length ?? Infinity) > enumValuesMax) return value;
    const { $ref: _ref, ...more } = value as Schema;
    return { ...named, ...more };
  });
}

export const enumValuesMax = 8;

/** Follows a reference into `components`. Throws if it leads nowhere. */
export function resolve<Part extends object>(document: OpenApi, part: Part | Ref): Part {
  if (!("$ref" in part) || part.$ref === undefined) return part as Part;
  const [, , kind = "", name = ""] = part.$ref.split("/");
  const parts = document.components[kind as keyof OpenApi["components"]] as Record<string, object>;
  const found = parts?.[name];
  if (found === undefined) throw new Error(`${part.$ref} leads nowhere`);
  return found as Part;
}

/** The name of the schema that a reference leads to; undefined for a schema in place. */
export const refName = ({ $ref }: Schema): string | undefined => $ref?.split("/").at(-1);
