import * as z from "zod";

/**
 * Returns the schema of a request body. `aliases` maps alternative names to field names; if a body has both,
 * the field name wins. A null counts as absent, because Python clients send None for omitted fields. Unknown
 * fields are ignored.
 */
export function body<Shape extends z.core.$ZodLooseShape>(aliases: Record<string, string>, shape: Shape) {
  const fields = z.object(shape, "must be an object with the fields of the call");
  const rename = (value: unknown) => (isObject(value) ? renameAliases(value, aliases) : value);
  return z.preprocess(rename, fields).meta({ aliases });
}

/** A boolean, or a word for it, as forms, query strings and Python's `str(False)` send it. */
export const Flag = z.union([z.boolean(), z.stringbool()], "must be true or false");

/** Returns the schema of a flag with a default, and with its description in the OpenAPI document. */
export const flag = (defaultValue: boolean, description: string) =>
  Flag.default(defaultValue).describe(description);

/** Returns a schema that accepts one of `names`. */
export const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, `must be one of: ${names.join(", ")}`);

function renameAliases(body: object, aliases: Record<string, string>): Record<string, unknown> {
  const fields = Object.entries(body).filter(([, value]) => value !== null);
  const fieldsByOwnName = Object.fromEntries(fields.filter(([name]) => !Object.hasOwn(aliases, name)));
  const fieldsByAlias = fields.flatMap(([name, value]) =>
    Object.hasOwn(aliases, name) ? [[aliases[name]!, value] as const] : [],
  );
  return { ...Object.fromEntries(fieldsByAlias), ...fieldsByOwnName };
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
