/**
 * Returns the types of the TypeScript client: the schemas of the OpenAPI document, with their descriptions.
 * Forms are left out, because the client sends JSON.
 */
export function clientTypes({ components: { schemas } }: OpenApi): string {
  return Object.entries(schemas)
    .filter(([name]) => !name.endsWith("Form"))
    .map(([name, schema]) => {
      // The client encodes bytes.
      const type = name === "Image" ? "string | Uint8Array | Blob" : typeOf(schema);
      return `${comment(schema)}export type ${name} = ${type};\n`;
    })
    .join("\n");
}

/** Throws for a keyword that it does not know, rather than write a type that is too wide. */
function typeOf(schema: JsonSchema): string {
  const { $ref, anyOf, type, items, minItems, maxItems } = schema;
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf("/") + 1);
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" | ");
  const literals = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  if (literals.length > 0) return literals.map((each) => JSON.stringify(each)).join(" | ");
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each })).join(" | ");
  switch (type) {
    case "array": {
      const item = typeOf(items!);
      const isTuple = minItems !== undefined && minItems === maxItems;
      return isTuple ? `[${Array.from({ length: minItems }, () => item).join(", ")}]` : `Array<${item}>`;
    }
    case "object":
      return objectType(schema);
    case "integer":
      return "number";
    case "string":
    case "number":
    case "boolean":
    case "null":
      return type;
    case undefined:
      break;
  }
  throw new Error(`No type for ${JSON.stringify(schema)}`);
}

function objectType({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  if (typeof additionalProperties === "object") return `Record<string, ${typeOf(additionalProperties)}>`;
  const fields = Object.entries(properties).map(([name, field]) => {
    const type = typeOf(field);
    const end = required.includes(name) ? `: ${type}` : `?: ${type} | undefined`;
    return `${comment(field)}${name}${end};\n`.replaceAll(/^(?=.)/gm, "  ");
  });
  return `{\n${fields.join("")}}`;
}

const comment = ({ description }: JsonSchema): string =>
  description === undefined ? "" : `/** ${description} */\n`;

type OpenApi = { components: { schemas: Record<string, JsonSchema> } };

type JsonSchema = {
  $ref?: string;
  description?: string;
  type?: string | string[];
  anyOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
};
