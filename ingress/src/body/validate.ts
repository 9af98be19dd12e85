import type { ErrorCode } from "@faceline/contracts/http/errors";
import type * as z from "zod";
import { ApiError, inputError, inputRef } from "../call/api-error.ts";
import { missingImageError } from "../images/base64.ts";

/**
 * Returns the body or the query of a call as its schema parses it. Throws an ApiError about the first field
 * that is wrong, or `invalid_json` if there is no body.
 */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  if (value === undefined)
    throw new ApiError("invalid_json", "The body is empty: send a JSON object or a form.");
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw fieldError(result.error.issues[0]!);
}

/** The messages of the schemas say what a field must be and never what was sent: "must be true or false". */
function fieldError({ path, message, input }: z.core.$ZodIssue): ApiError {
  if (path.length === 0) return new ApiError("invalid_request", `The body ${message}.`);
  const field = String(path[0]);
  if (input === undefined && /^img[12]?$/.test(field)) return missingImageError(inputRef(field));
  return inputError(inputRef(field), codeOfField(field, input), `${field} ${message}.`);
}

function codeOfField(field: string, input: unknown): ErrorCode {
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
