import { each, type Html, html, markup, nothing } from "@faceline/runtime/design/html";
import { inlineText } from "../inline-text.ts";
import type { Schema } from "./document.ts";
import { assertKnownKeywords, limitsText, typeText } from "./schema-text.ts";

/**
 * Returns the fields of an object, and those of the objects inside it. `id` begins the anchors:
 * `verify-response` makes `#verify-response-distance`. `marks`: whether required or optional fields are
 * marked: the rarer ones.
 */
export function objectFields(schema: Schema, id: string, marks: Marks): Html {
  assertKnownKeywords(schema);
  const { properties = {}, required = [] } = schema;
  const fields = Object.entries(properties).map(([name, field]) => ({
    name,
    id: `${id}-${name}`,
    schema: field,
    description: field.description,
    required: required.includes(name),
  }));
  return fieldList(fields, marks);
}

/** Returns fields, parameters or headers as a list. */
export function fieldList(fields: Field[], marks: Marks): Html {
  return html`<dl class="fields">
!${each(fields, (field) => fieldEntry(field, marks))}</dl>
`;
}

function fieldEntry({ name, id, schema, description, required }: Field, marks: Marks): Html {
  assertKnownKeywords(schema);
  return html`<div id="${id}"><dt><a href="#${id}"><code>${name}</code></a><span class="kind">!${typeText(schema)}</span>!${presenceMark(required, marks)}</dt>
<dd>!${descriptionText(description)}!${limits(schema)}!${innerFields(schema, id, marks)}</dd></div>
`;
}

function presenceMark(required: boolean, marks: Marks): Html {
  if (required === (marks === "optional")) return nothing;
  return html`<span class="${marks}">${marks}</span>`;
}

function descriptionText(description: string | undefined): Html {
  return description === undefined ? nothing : html`<p>!${inlineText(description)}</p>`;
}

function limits(schema: Schema): Html {
  const text = limitsText(schema);
  return text === "" ? nothing : html`<p class="limits">!${markup(text)}</p>`;
}

/** The fields of objects in a list, a map or a choice. A named type has its fields at its own place. */
export function innerFields(schema: Schema, id: string, marks: Marks): Html {
  const objects = innerObjects(schema);
  return each(objects, (object, i) => {
    const ownId = objects.length === 1 ? id : `${id}-${i + 1}`;
    return html`!${orElse(i)}!${objectFields(object, ownId, marks)}`;
  });
}

const orElse = (i: number): Html => (i === 0 ? nothing : html`<p class="limits">or</p>`);

function innerObjects(schema: Schema): Schema[] {
  assertKnownKeywords(schema);
  if (schema.properties !== undefined) return [schema];
  const inside = [
    ...(schema.items ? [schema.items] : []),
    ...(schema.additionalProperties === undefined ? [] : [schema.additionalProperties]),
    ...(schema.anyOf ?? []),
  ];
  return inside.flatMap(innerObjects);
}

/** The mark worth showing: most fields of a request are optional, few of a response are. */
type Marks = "required" | "optional";

export type Field = {
  name: string;
  id: string;
  schema: Schema;
  description: string | undefined;
  required: boolean;
};
