import * as z from "zod";
import { CompareRequest } from "./compare.ts";
import { RepresentRequest } from "./represent.ts";
import { VerifyRequest } from "./verify.ts";

/** Fields of all request bodies, and their aliases. */
export const formFields: ReadonlySet<string> = fieldsWhere(() => true);

/** Form fields whose text is converted to a number. In JSON, a string in these fields is an error. */
export const formNumbers: ReadonlySet<string> = fieldsWhere(
  ({ type }) => type === "number" || type === "integer",
);

/**
 * Form fields, and their aliases, that may be repeated: their values become a list. A vector is not one of
 * them, because its numbers are sent as one text.
 */
export const formLists: ReadonlySet<string> = fieldsWhere(
  ({ type, items }) => type === "array" && items?.type !== "number",
);

/** Returns the fields of all request bodies, and their aliases, whose JSON schema passes. */
function fieldsWhere(passes: (schema: FieldSchema) => boolean): Set<string> {
  const names = [VerifyRequest, RepresentRequest, CompareRequest].flatMap((schema) => {
    const { properties = {} } = z.toJSONSchema(schema.out, { io: "input", unrepresentable: "any" });
    const fields = Object.entries(properties as Record<string, FieldSchema>)
      .filter(([, fieldSchema]) => passes(fieldSchema))
      .map(([name]) => name);
    const aliases = Object.entries(schema.meta()?.["aliases"] as Record<string, string>);
    return [...fields, ...aliases.flatMap(([alias, field]) => (fields.includes(field) ? [alias] : []))];
  });
  return new Set(names);
}

type FieldSchema = { type?: string; items?: { type?: string } };
