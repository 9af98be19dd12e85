import type { ErrorCode } from "@faceline/contracts/errors";
import type * as z from "zod";
import { Refusal } from "../refusal.ts";

/** The body of a call, read by its schema; else a Refusal that names the first field at fault. */
export function readBody<Schema extends z.ZodType>(schema: Schema, given: unknown): z.infer<Schema> {
  if (given === undefined) throw new Refusal("invalid_json", "The body is empty.");
  const read = schema.safeParse(given, { reportInput: true });
  if (read.success) return read.data;
  const { path, message, input } = read.error.issues[0]!;
  const field = String(path[0] ?? "body");
  // zod's messages name what was expected, never what came.
  throw new Refusal(codeOf(field, input), `${field}: ${message}.`, path.length === 0 ? {} : { field });
}

/** The query, likewise. */
export function readQuery<Schema extends z.ZodType>(schema: Schema, given: unknown): z.infer<Schema> {
  return readBody(schema, given);
}

function codeOf(field: string, input: unknown): ErrorCode {
  switch (field) {
    case "img":
    case "img1":
    case "img2":
      if (input === undefined) return "missing_image";
      return Array.isArray(input) && field !== "img" ? "invalid_vector" : "invalid_request";
    case "vector":
      return "invalid_vector";
    case "distance_metric":
      return "invalid_distance_metric";
    default:
      return "invalid_request";
  }
}
