import { isPlainName } from "@faceline/contracts/http/likely-field";
import { ApiError } from "../call/api-error.ts";

/**
 * Returns the fields of a body. If the whole body is an image, it is the field of an endpoint that takes one
 * image, with the options of the query; others get an ApiError that says how to send several.
 */
export function fieldsOf(body: unknown, { path, imageFields }: ImageFields, inQuery: object): unknown {
  if (!(body instanceof Uint8Array)) return body;
  const [only, ...others] = imageFields;
  if (others.length === 0) return { ...inQuery, [only!]: body };
  const form = imageFields.map((field) => `-F ${field}=@FILE`).join(" ");
  throw new ApiError(
    "invalid_request",
    `The body is an image itself: send ${path} its images as files of a form (curl: "${form}").`,
  );
}

/**
 * Returns the error with the names of the unknown fields that came, where it concerns a field that did not:
 * other services call theirs otherwise. Only short plain names are repeated, and only the first few.
 */
export function withOtherFields(error: unknown, body: unknown, knownFields: ReadonlySet<string>): unknown {
  if (!(error instanceof ApiError) || error.status !== 400 || !isObject(body)) return error;
  const { field } = error.details;
  if (field === undefined || !knownFields.has(field) || Object.hasOwn(body, field)) return error;
  const names = otherNames(body, knownFields);
  return names === undefined ? error : new ApiError(error.code, `${error.message} ${names}`, error.details);
}

/** The sentence about the unknown fields of an object; undefined: it has none that may be named. */
export function otherNames(
  body: object,
  known: ReadonlySet<string>,
  holder = "The request",
): string | undefined {
  const names = Object.keys(body).slice(0, namesReadMax);
  const other = names.filter((name) => !known.has(name) && isPlainName(name)).slice(0, namesMax);
  return other.length === 0
    ? undefined
    : `${holder} has ${other.map((name) => `"${name}"`).join(", ")} instead.`;
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !(value instanceof Uint8Array);

const namesReadMax = 64;
const namesMax = 5;

type ImageFields = { path: string; imageFields: readonly string[] };
