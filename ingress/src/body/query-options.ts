import { formNumbers } from "@faceline/contracts/http/form-fields";
import { likelyFieldOf } from "@faceline/contracts/http/likely-field";
import { ApiError } from "../call/api-error.ts";

/**
 * Returns the function that finds options in the query of an endpoint. A body that is an image itself has no
 * other place for them, so then it returns them, as a form would hold them. Beside another body they would be
 * dropped, so it throws an ApiError that names the first one. Other names are ignored: caches and campaigns
 * add theirs.
 */
export function queryOptions({ knownFields, imageFields, own }: QueryRules) {
  const likelyField = likelyFieldOf([...knownFields, ...own]);
  const isKnown = (name: string): boolean => knownFields.has(name) || own.has(name);

  return (query: Record<string, unknown>, body: unknown): Record<string, unknown> => {
    const options: Record<string, unknown> = {};
    let unknownNames = 0;
    for (const [sentName, value] of Object.entries(query)) {
      if (own.has(sentName)) continue;
      // As `threshold[]`, which some HTTP clients write, or after an `&amp;`.
      const name = sentName.replaceAll(/^amp;|\[.*\]$/gs, "").trim();
      const isChecked = isKnown(name) || notOffered.has(name) || unknownNames++ < unknownNamesChecked;
      const field = isKnown(name) ? name : isChecked ? likelyField(name) : undefined;
      if (field === undefined && notOffered.has(name))
        throw optionError(name, "is an option of CompreFace that this service does not have: leave it out.");
      if (field === undefined) continue;
      if (own.has(field)) throw optionError(name, `is not read from the query: write ${field}.`);
      if (!(body instanceof Uint8Array) || imageFields.some((image) => field.startsWith(image))) {
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

/** Further unknown names are ignored, whatever they are like: the work for a request is bounded. */
const unknownNamesChecked = 64;

/** Options that CompreFace has in its query and that have no counterpart. */
const notOffered = new Set([
  "limit",
  "det_prob_threshold",
  "prediction_count",
  "face_plugins",
  "status",
  "detect_faces",
]);

const optionError = (field: string, fault: string): ApiError =>
  new ApiError("invalid_request", `${field} ${fault}`, { field });

type QueryRules = {
  /** Fields of the body, and their aliases. */
  knownFields: ReadonlySet<string>;
  imageFields: readonly string[];
  /** Parameters that the endpoint reads from its query. */
  own: ReadonlySet<string>;
};
