import { formNumbers } from "@faceline/contracts/http/form-fields";
import { likelyFieldOf } from "@faceline/contracts/http/likely-field";
import { ApiError } from "../call/api-error.ts";

/**
 * Returns the function that finds options in the query of an endpoint: names in `fields`, the fields of its
 * body with their aliases, and likely mistakes. A body that is an image itself has no other place for them,
 * so then it returns them, as a form would hold them. With any other body they would be dropped, so it throws
 * an ApiError that names the first one. Other names are ignored: caches and campaigns add theirs. The
 * endpoint reads those in `own` itself.
 */
export function queryOptions(fields: ReadonlySet<string>, own: ReadonlySet<string>) {
  const known = fields.union(own);
  const likelyField = likelyFieldOf([...known]);

  return (query: object, body: unknown): Record<string, unknown> => {
    const options: Record<string, unknown> = {};
    for (const [position, [sentName, value]] of Object.entries(query).entries()) {
      if (own.has(sentName)) continue;
      // As `threshold[]`, which some HTTP clients write, or after an `&amp;`.
      const name = sentName.replaceAll(/^amp;|\[.*\]$/gs, "").trim();
      const field = known.has(name) ? name : position < mistakesMax ? likelyField(name) : undefined;
      if (field === undefined) {
        if (!ofCompreFace.test(name)) continue;
        throw optionError(name, "is an option of CompreFace that this service does not have: leave it out.");
      }
      if (own.has(field)) throw optionError(name, `is not read from the query: write ${field}.`);
      if (!(body instanceof Uint8Array) || field.startsWith("img")) {
        const how = field === name ? "send it in the body" : `write ${field}, and send it in the body`;
        throw optionError(name, `is not read from the query: ${how}.`);
      }
      if (typeof value !== "string" || Object.hasOwn(options, name))
        throw optionError(name, "takes one value and was sent twice.");
      if (value.trim() === "") throw optionError(name, `has no value: write ${name}=VALUE.`);
      options[name] = formNumbers.has(name) && Number.isFinite(Number(value)) ? Number(value) : value;
    }
    return options;
  };
}

/** Names after these are not searched for mistakes: the work for a request is bounded. */
const mistakesMax = 64;

/** Options that have no counterpart here; `limit` has one in /represent. */
const ofCompreFace = /^(limit|det_prob_threshold|prediction_count|face_plugins|status|detect_faces)$/;

const optionError = (field: string, fault: string): ApiError =>
  new ApiError("invalid_request", `${field} ${fault}`, { field });
