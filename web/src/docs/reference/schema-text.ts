import { each, type Html, html, markup } from "@faceline/runtime/design/html";
import { refName, type Schema } from "./document.ts";

/** Throws if a schema has a keyword that the reference would leave out. */
export function assertKnownKeywords(schema: Schema): void {
  const unknown = Object.keys(schema).filter((keyword) => !knownKeywords.has(keyword));
  if (unknown.length > 0) {
    throw new Error(`The reference does not show ${unknown.join(", ")}: add it to pages/docs/reference`);
  }
}

/** Returns the type of a value in words: `string or list of number`, with links to named types. */
export function typeText(schema: Schema): Html {
  const name = refName(schema);
  if (name !== undefined) return html`<a href="/docs/reference#type-${name}">${name}</a>`;
  if (schema.anyOf !== undefined) return joined(schema.anyOf.map(typeText), " or ");
  if (schema.type === "array") {
    return html`list of !${typeText(schema.items ?? {})}`;
  }
  if (schema.additionalProperties !== undefined) {
    return html`object of !${typeText(schema.additionalProperties)} by name`;
  }
  const types = [schema.type ?? []].flat();
  return html`${types.length === 0 ? "any" : types.join(" or ")}`;
}

/** Returns the values that are allowed, as sentences. */
export function limitsText(schema: Schema): Html {
  const sentences = [
    ...allowedValues(schema),
    ...bounds.flatMap(([keyword, words]) => {
      const bound = schema[keyword];
      return bound === undefined ? [] : [html`${words(bound as number)}. `];
    }),
    ...(schema.pattern === undefined ? [] : [html`Matches <code>${schema.pattern}</code>. `]),
  ];
  return each(sentences, (sentence) => sentence);
}

function allowedValues(schema: Schema): Html[] {
  const { enum: values, const: value, contentEncoding, format } = schema;
  return [
    ...(values === undefined ? [] : [html`One of !${valueList(values)}. `]),
    ...(value === undefined ? [] : [html`Always <code>${JSON.stringify(value)}</code>. `]),
    ...(contentEncoding === undefined && format === undefined
      ? []
      : [html`${capitalised(contentEncoding ?? format ?? "")}. `]),
  ];
}

const valueList = (values: unknown[]): Html =>
  joined(
    values.map((value) => html`<code>${String(value)}</code>`),
    ", ",
  );

/** Sentences for the keywords that hold a number. */
const bounds: [keyof Schema, (bound: number) => string][] = [
  ["minimum", (bound) => `At least ${bound}`],
  ["exclusiveMinimum", (bound) => `More than ${bound}`],
  ["maximum", (bound) => `At most ${bound}`],
  ["minLength", (bound) => `At least ${counted(bound, "character")}`],
  ["maxLength", (bound) => `At most ${counted(bound, "character")}`],
  ["minItems", (bound) => `At least ${counted(bound, "item")}`],
  ["maxItems", (bound) => `At most ${counted(bound, "item")}`],
];

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function joined(parts: Html[], separator: string): Html {
  return each(parts, (part, i) => html`${i === 0 ? "" : separator}!${markup(part)}`);
}

/** Every keyword of our schemas, shown here or in ./fields.ts. */
const knownKeywords = new Set<string>([
  ...bounds.map(([keyword]) => keyword),
  "$ref",
  "x-go-name",
  "type",
  "description",
  "const",
  "enum",
  "pattern",
  "format",
  "contentEncoding",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "anyOf",
]);
