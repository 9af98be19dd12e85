import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { parse } from "yaml";

/**
 * Returns a function that lists what is wrong with objects: by the OpenAPI document of Kubernetes and by
 * files of custom resources. A field that a schema does not name is wrong, and so is an unknown kind.
 */
export function compileSchemas(openApiFile: string, resourceFiles: string[]): (all: Manifest[]) => string[] {
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false, unicodeRegExp: false });
  const schemas = new Map<string, Schema>();
  const openApi = JSON.parse(readFileSync(openApiFile, "utf8")) as { definitions: Record<string, Schema> };
  const definitions = Object.fromEntries(
    Object.entries(openApi.definitions).map(([name, schema]) => [
      name,
      numbersToo.has(name) ? { type: ["string", "number"] } : strict(schema),
    ]),
  );
  ajv.addSchema({ $id: "kubernetes", definitions });
  for (const [name, schema] of Object.entries(openApi.definitions)) {
    for (const { group, version, kind } of (schema[groupVersionKind] ?? []) as GroupVersionKind[]) {
      const apiVersion = group === "" ? version : `${group}/${version}`;
      schemas.set(`${apiVersion} ${kind}`, { $ref: `kubernetes#/definitions/${name}` });
    }
  }
  for (const file of resourceFiles) {
    const { spec } = parse(readFileSync(file, "utf8")) as Resource;
    for (const { name, schema } of spec.versions) {
      schemas.set(`${spec.group}/${name} ${spec.names.kind}`, strict(schema.openAPIV3Schema));
    }
  }
  return (all) =>
    all.flatMap((manifest) => {
      const { apiVersion, kind } = manifest;
      const schema = schemas.get(`${apiVersion} ${kind}`);
      if (schema === undefined) return [`${apiVersion} ${kind}: unknown`];
      // Compiled once for each schema.
      const validate = ajv.compile(schema);
      validate(manifest);
      return (validate.errors ?? []).map(
        ({ instancePath, message, params }) => `${kind}${instancePath} ${message} ${JSON.stringify(params)}`,
      );
    });
}

const groupVersionKind = "x-kubernetes-group-version-kind";

/** Types that the document calls strings, and that the server reads numbers for too. */
const numbersToo = new Set([
  "io.k8s.apimachinery.pkg.api.resource.Quantity",
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
]);

/** A schema in which no field is allowed that is not named, unless the schema says so. */
function strict(schema: Schema): Schema {
  const { properties, additionalProperties, items, ...rest } = schema;
  if (schema["x-kubernetes-int-or-string"] === true) return { type: ["string", "number"] };
  // Go's flag for any case, which patterns of JavaScript do not have.
  if (String(rest["pattern"]).includes("(?i)")) delete rest["pattern"];
  if (typeof rest["$ref"] === "string") rest["$ref"] = `kubernetes${rest["$ref"]}`;
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  return {
    ...rest,
    ...(properties === undefined ? {} : { properties: mapValues(properties as Schemas, strict) }),
    ...(properties === undefined || isOpen ? {} : { additionalProperties: false }),
    ...(typeof additionalProperties === "object"
      ? { additionalProperties: strict(additionalProperties as Schema) }
      : {}),
    ...(items === undefined ? {} : { items: strict(items as Schema) }),
  };
}

const mapValues = (schemas: Schemas, change: (schema: Schema) => Schema): Schemas =>
  Object.fromEntries(Object.entries(schemas).map(([key, value]) => [key, change(value)]));

type Schema = { [key: string]: unknown };
type Schemas = Record<string, Schema>;
type GroupVersionKind = { group: string; version: string; kind: string };

type Resource = {
  spec: {
    group: string;
    names: { kind: string };
    versions: { name: string; schema: { openAPIV3Schema: Schema } }[];
  };
};

/** An object of Kubernetes. */
export type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string; [key: string]: unknown };
  [key: string]: unknown;
};
