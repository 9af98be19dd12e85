import * as z from "zod";

/**
 * The body of a call. Aliases stand for their fields, and null means absent, because Python clients send None
 * for what they leave out. The field's own name wins over its aliases; two aliases with different values are
 * an issue of the field, because nobody could tell which one counts. Unknown fields are ignored.
 */
export function body<Shape extends z.core.$ZodLooseShape>(aliases: Record<string, string>, shape: Shape) {
  const fields = z.object(shape, "must be an object with the fields of the call");
  const rename = (given: unknown, context: z.RefinementCtx) =>
    isObject(given) ? renamed(given, aliases, context) : given;
  return z.preprocess(rename, fields).meta({ aliases });
}

/** True and false, and the words for them: forms, query strings and Python's `str(False)` send words. */
export const Flag = z.union([z.boolean(), z.stringbool()], "must be true or false");

/** A flag with its default, and what it says in documents. */
export const flag = (standard: boolean, description: string) => Flag.default(standard).describe(description);

/** One of a list of names. */
export const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, `must be one of: ${names.join(", ")}`);

function renamed(
  given: object,
  aliases: Record<string, string>,
  context: z.RefinementCtx,
): Record<string, unknown> {
  const fields = Object.entries(given).filter(([, value]) => value !== null);
  const own = Object.fromEntries(fields.filter(([name]) => !Object.hasOwn(aliases, name)));
  const others = new Map<string, { alias: string; value: unknown }>();
  for (const [alias, value] of fields) {
    const field = Object.hasOwn(aliases, alias) ? aliases[alias]! : undefined;
    if (field === undefined || Object.hasOwn(own, field)) continue;
    const other = others.get(field);
    if (other !== undefined && !isEqual(other.value, value)) {
      const message = `must be sent once: ${other.alias} and ${alias} differ`;
      context.addIssue({ code: "custom", path: [field], message, input: value });
    }
    others.set(field, { alias, value });
  }
  return { ...own, ...Object.fromEntries([...others].map(([field, { value }]) => [field, value])) };
}

/** Of JSON values. Files of a form count as different: comparing them would take as long as hashing them. */
function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => isEqual(item, b[i]));
  }
  if (!isObject(a) || !isObject(b) || ArrayBuffer.isView(a) || ArrayBuffer.isView(b)) return false;
  const [entries, others] = [Object.entries(a), new Map(Object.entries(b))];
  return entries.length === others.size && entries.every(([name, value]) => isEqual(value, others.get(name)));
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
