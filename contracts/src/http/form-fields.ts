import * as z from "zod";
import { CompareRequest } from "./compare.ts";
import { RepresentRequest } from "./represent.ts";
import { VerifyRequest } from "./verify.ts";

// Covered by ingress/openapi/document.test.ts, which compares both sets with the OpenAPI document.

/** A form holds texts and files alone. In these fields a text is a number, as it never is in JSON. */
export const formNumbers: ReadonlySet<string> = fieldsWhere(
  ({ type }) => type === "number" || type === "integer",
);

/**
 * These may stand in a form several times, and make a list. Aliases are among them. A vector is not: its
 * numbers come as one text.
 */
export const formLists: ReadonlySet<string> = fieldsWhere(
  ({ type, items }) => type === "array" && items?.type !== "number",
);

/** The fields of the request bodies, and their aliases, whose JSON schema passes. */
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
