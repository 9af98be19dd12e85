import * as z from "zod";
import { likelyFieldOf } from "./likely-field.ts";

/**
 * Returns the schema of a request body. `aliases` maps alternative names to field names. The field name wins
 * over its aliases; two aliases are an issue of the field, because neither takes precedence. A null counts as
 * absent, because Python clients send None for omitted fields. Unknown fields are ignored, unless one is
 * likely a field that was not sent: the default would be used in its place.
 */
export function body<Shape extends z.core.$ZodLooseShape>(aliases: Record<string, string>, shape: Shape) {
  const fields = z.object(shape, "must be an object with the fields of the request");
  const known = new Set(Object.keys(shape));
  const likelyField = likelyFieldOf([...known]);
  const rename = (value: unknown, context: z.RefinementCtx) => {
    if (!isObject(value)) return value;
    const renamed = renameAliases(value, aliases, context);
    const unknown = Object.keys(renamed).filter((name) => !known.has(name));
    for (const name of unknown.slice(0, unknownFieldsChecked)) {
      const field = likelyField(name);
      if (field === undefined || Object.hasOwn(renamed, field)) continue;
      const message = `is not a field of this request: write ${field}`;
      context.addIssue({ code: "custom", path: [name], message, input: renamed[name] });
    }
    return renamed;
  };
  return z.preprocess(rename, fields).meta({ aliases });
}

/** Further unknown fields of a body are ignored whatever their names: the work for a request is bounded. */
const unknownFieldsChecked = 16;

/** A boolean, or a word for it, as forms, query strings and Python's `str(False)` send it. */
export const Flag = z.union([z.boolean(), z.stringbool()], "must be true or false");

/** Returns the schema of a flag with a default, and with its description in the OpenAPI document. */
export const flag = (defaultValue: boolean, description: string) =>
  Flag.default(defaultValue).describe(description);

/** Returns a schema that accepts one of `names`. */
export const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, `must be one of: ${names.join(", ")}`);

function renameAliases(
  body: object,
  aliases: Record<string, string>,
  context: z.RefinementCtx,
): Record<string, unknown> {
  const fields = Object.entries(body).filter(([, value]) => value !== null);
  const renamed = Object.fromEntries(fields.filter(([name]) => !Object.hasOwn(aliases, name)));
  const aliasOf = new Map<string, string>();
  for (const [alias, value] of fields) {
    const field = Object.hasOwn(aliases, alias) ? aliases[alias]! : undefined;
    const other = aliasOf.get(field ?? "");
    if (other !== undefined) {
      const message = `must be sent once, not as ${other} and ${alias}`;
      context.addIssue({ code: "custom", path: [field!], message, input: value });
    } else if (field !== undefined && !Object.hasOwn(renamed, field)) {
      aliasOf.set(field, alias);
      renamed[field] = value;
    }
  }
  return renamed;
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
