import type { ErrorCode } from "@faceline/contracts/http/errors";
import type * as z from "zod";
import { noImage } from "../images/source.ts";
import { placeOf, Refusal, refusalAt } from "../refusal.ts";

/** The body of a call, read by its schema; else a Refusal that names the first field at fault. */
export function readBody<Schema extends z.ZodType>(schema: Schema, given: unknown): z.infer<Schema> {
  if (given === undefined)
    throw new Refusal("invalid_json", "The body is empty: send a JSON object or a form.");
  const read = schema.safeParse(given, { reportInput: true });
  if (read.success) return read.data;
  throw refusalOf(read.error.issues[0]!);
}

/** The query, likewise. */
export function readQuery<Schema extends z.ZodType>(schema: Schema, given: unknown): z.infer<Schema> {
  return readBody(schema, given);
}

/** The schemas' messages say what must be, never what came: "must be true or false". */
function refusalOf({ path, message, input }: z.core.$ZodIssue): Refusal {
  if (path.length === 0) return new Refusal("invalid_request", `The body ${message}.`);
  const field = String(path[0]);
  if (input === undefined && /^img[12]?$/.test(field)) return noImage(placeOf(field));
  return refusalAt(placeOf(field), codeOf(field, input), `${field} ${message}.`);
}

function codeOf(field: string, input: unknown): ErrorCode {
  switch (field) {
    case "img1":
    case "img2":
      return Array.isArray(input) ? "invalid_vector" : "invalid_request";
    case "vector":
      return "invalid_vector";
    case "distance_metric":
      return "invalid_distance_metric";
    default:
      return "invalid_request";
  }
}
