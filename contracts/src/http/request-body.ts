import * as z from "zod";

/**
 * The body of a call. Aliases stand for their fields (the field's own name wins), and null means absent,
 * because Python clients send None for what they leave out. Unknown fields are ignored.
 */
export function body<Shape extends z.core.$ZodLooseShape>(aliases: Record<string, string>, shape: Shape) {
  const fields = z.object(shape, "must be an object with the fields of the call");
  const rename = (given: unknown) => (isObject(given) ? renamed(given, aliases) : given);
  return z.preprocess(rename, fields).meta({ aliases });
}

/** True and false, and the words for them: forms, query strings and Python's `str(False)` send words. */
export const Flag = z.union([z.boolean(), z.stringbool()], "must be true or false");

/** A flag with its default, and what it says in documents. */
export const flag = (standard: boolean, description: string) => Flag.default(standard).describe(description);

/** One of a list of names. */
export const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, `must be one of: ${names.join(", ")}`);

function renamed(given: object, aliases: Record<string, string>): Record<string, unknown> {
  const fields = Object.entries(given).filter(([, value]) => value !== null);
  const own = Object.fromEntries(fields.filter(([name]) => !Object.hasOwn(aliases, name)));
  const others = fields.flatMap(([name, value]) =>
    Object.hasOwn(aliases, name) ? [[aliases[name]!, value] as const] : [],
  );
  return { ...Object.fromEntries(others), ...own };
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
