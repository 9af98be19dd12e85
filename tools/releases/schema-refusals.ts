/**
 * Returns why a reader may refuse what a writer sends, a sentence each; none if it takes everything. Both are
 * JSON Schemas as zod makes them: `output` of what is written, `input` of what is read. Cautious: patterns
 * and formats that are not equal count as refusals.
 */
export function schemaRefusals(writer: JsonSchema, reader: JsonSchema, path = "$"): string[] {
  const writers = alternatives(writer);
  const readers = alternatives(reader);
  if (writers.length > 1 || readers.length > 1) {
    return writers.flatMap((each) => fewest(readers.map((other) => schemaRefusals(each, other, path))));
  }
  const otherType = typeRefusals(writer, reader, path);
  if (otherType.length > 0) return otherType;
  return [
    ...valueRefusals(writer, reader, path),
    ...boundRefusals(writer, reader, path),
    ...propertyRefusals(writer, reader, path),
    ...itemRefusals(writer, reader, path),
  ];
}

function typeRefusals(writer: JsonSchema, reader: JsonSchema, path: string): string[] {
  const { type } = reader;
  if (type === undefined || type === writer.type) return [];
  if (type === "number" && writer.type === "integer") return [];
  return [`${path}: is ${writer.type ?? "of any type"}, and was ${type}`];
}

function valueRefusals(writer: JsonSchema, reader: JsonSchema, path: string): string[] {
  const known = valuesOf(reader);
  if (known === undefined) return [];
  const sent = valuesOf(writer);
  if (sent === undefined) return [`${path}: has any value, and had ${known.join(", ")}`];
  return sent
    .filter((value) => !known.includes(value))
    .map((value) => `${path}: has the new value ${String(value)}`);
}

function boundRefusals(writer: JsonSchema, reader: JsonSchema, path: string): string[] {
  const wider = (name: Bound, isWider: (sent: number, read: number) => boolean) => {
    const [sent, read] = [writer[name], reader[name]];
    if (read === undefined || (sent !== undefined && !isWider(sent, read))) return [];
    return [`${path}: ${name} is ${sent ?? "not bounded"}, and was ${read}`];
  };
  const same = (name: "pattern" | "format") =>
    reader[name] === undefined || reader[name] === writer[name] ? [] : [`${path}: has another ${name}`];
  return [
    ...lowerBounds.flatMap((name) => wider(name, (sent, read) => sent < read)),
    ...upperBounds.flatMap((name) => wider(name, (sent, read) => sent > read)),
    ...same("pattern"),
    ...same("format"),
  ];
}

function propertyRefusals(writer: JsonSchema, reader: JsonSchema, path: string): string[] {
  const [sent, read] = [writer.properties ?? {}, reader.properties ?? {}];
  const always = new Set(writer.required);
  const missing = (reader.required ?? [])
    .filter((name) => !always.has(name))
    .map((name) => `${path}.${name}: may be absent, and had to be there`);
  const unknown =
    reader.additionalProperties === false
      ? Object.keys(sent)
          .filter((name) => !(name in read))
          .map((name) => `${path}.${name}: is new, and unknown fields were refused`)
      : [];
  const shared = Object.entries(sent).flatMap(([name, each]) => {
    const other = read[name];
    return other === undefined ? [] : schemaRefusals(each, other, `${path}.${name}`);
  });
  const values = [writer.additionalProperties, reader.additionalProperties];
  const [sentValue, readValue] = values.map((each) => (typeof each === "object" ? each : undefined));
  return [
    ...missing,
    ...unknown,
    ...shared,
    ...(sentValue && readValue ? schemaRefusals(sentValue, readValue, `${path}.*`) : []),
  ];
}

function itemRefusals(writer: JsonSchema, reader: JsonSchema, path: string): string[] {
  if (reader.prefixItems !== undefined) {
    // Other lengths are refused by the bounds.
    const sent = writer.prefixItems ?? [];
    return reader.prefixItems.flatMap((each, i) => schemaRefusals(sent[i] ?? {}, each, `${path}[${i}]`));
  }
  if (typeof reader.items !== "object") return [];
  const sent = typeof writer.items === "object" ? writer.items : {};
  return schemaRefusals(sent, reader.items, `${path}[]`);
}

const alternatives = (schema: JsonSchema): JsonSchema[] => schema.anyOf ?? schema.oneOf ?? [schema];

const valuesOf = (schema: JsonSchema): unknown[] | undefined =>
  "const" in schema ? [schema.const] : schema.enum;

/** Returns the refusals of the alternative of a reader that is nearest to what is sent. */
const fewest = (refusals: string[][]): string[] =>
  refusals.reduce((least, each) => (each.length < least.length ? each : least));

const lowerBounds = ["minimum", "exclusiveMinimum", "minLength", "minItems"] as const;
const upperBounds = ["maximum", "exclusiveMaximum", "maxLength", "maxItems"] as const;
type Bound = (typeof lowerBounds | typeof upperBounds)[number];

/** The part of JSON Schema that zod uses for the messages of Faceline. */
export type JsonSchema = {
  [bound in Bound]?: number;
} & {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  pattern?: string;
  format?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema | boolean;
  /** Schemas of the items of a list of fixed length. */
  prefixItems?: JsonSchema[];
};
