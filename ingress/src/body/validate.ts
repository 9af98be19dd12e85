import type { ErrorCode } from "@faceline/contracts/http/errors";
import { vectorShapeFault } from "@faceline/contracts/http/vector";
import { isReferences } from "@faceline/contracts/http/references";
import * as z from "zod";
import { ApiError, inputError, inputRef } from "../call/api-error.ts";
import { missingImageError } from "../images/base64.ts";
import { isImageInNumbers, jsonImageError } from "../images/base64-fault.ts";

/**
 * Returns the body or the query of a request as its schema parses it. Throws an ApiError about the first
 * field that is wrong, or `invalid_json` if there is no body. `vectorLengthMax`: of the enabled models, for
 * errors.
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  vectorLengthMax = 0,
): z.infer<Schema> {
  if (value === undefined)
    throw new ApiError("invalid_json", "The body is empty: send a JSON object or a form.");
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw fieldError(result.error.issues[0]!, vectorLengthMax);
}

/** The names of the fields of a body, and their aliases, or of a query. */
export function fieldNames(schema: z.ZodType): ReadonlySet<string> {
  const object = schema instanceof z.ZodPipe ? schema.out : schema;
  const fields = object instanceof z.ZodObject ? object.shape : {};
  return new Set([...Object.keys(fields), ...Object.keys(schema.meta()?.["aliases"] ?? {})]);
}

/** The messages of the schemas say what a field must be and never what was sent: "must be true or false". */
function fieldError({ path, message, input }: z.core.$ZodIssue, vectorLengthMax: number): ApiError {
  if (path.length === 0) {
    const isTwice = typeof input === "string" && /^\s*{/.test(input);
    const fault = isTwice ? "is JSON inside a string: encode it once" : message;
    return new ApiError("invalid_request", `The body ${fault}.`);
  }
  const field = String(path[0]);
  const isImage = /^img[12]?$/.test(field);
  if (input === undefined && isImage) return missingImageError(inputRef(field));
  if (isImage && isImageInNumbers(input)) return jsonImageError(field);
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  if (isImage && isObject && Object.keys(input).length === 0)
    return jsonImageError(field, "is an empty object, as JSON has for a Blob, an ArrayBuffer or a Promise");
  const code = codeOfField(field, input);
  // No model has vectors as long as the schemas allow.
  const rule = code === "invalid_vector" ? vectorShapeFault(input, vectorLengthMax) : message;
  return inputError(inputRef(field), code, `${field} ${rule}.`);
}

function codeOfField(field: string, input: unknown): ErrorCode {
  switch (field) {
    case "img1":
    case "img2":
      return Array.isArray(input) && !(field === "img1" && isReferences(input))
        ? "invalid_vector"
        : "invalid_request";
    case "vector":
      return "invalid_vector";
    case "distance_metric":
      return "invalid_distance_metric";
    default:
      return "invalid_request";
  }
}
