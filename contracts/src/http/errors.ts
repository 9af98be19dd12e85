import * as z from "zod";

/**
 * All errors of the API: stable code, HTTP status, title, when it occurs and what the caller should do next.
 * Replies and the OpenAPI document are made from this table, and a test compares the table of the README with
 * it. A code is never reused for another meaning.
 */
export const errorTable = {
  invalid_json: {
    status: 400,
    title: "Invalid JSON",
    when: "The body is empty, or it is not JSON in UTF-8; or it holds a key that would reach a prototype.",
    next: "Send one JSON object.",
  },
  invalid_request: {
    status: 400,
    title: "Invalid request",
    when: "A field, a header, a form or the HTTP itself is not what it must be; `field` names it where there is one.",
    next: "Mend what `detail` says.",
  },
  missing_image: {
    status: 400,
    title: "Missing image",
    when: "An image that the call needs is absent or empty.",
    next: "Send it as Base64, as a data URL, or as a file of a form.",
  },
  invalid_image: {
    status: 400,
    title: "Invalid image",
    when: "What came as an image is not Base64, or is damaged inside.",
    next: "Send the whole file, encoded once.",
  },
  unsupported_image_format: {
    status: 400,
    title: "Unsupported image format",
    when: "The bytes are no JPEG, PNG or WebP, whatever they claim to be.",
    next: "Convert the picture.",
  },
  unsupported_image_source: {
    status: 400,
    title: "Unsupported image source",
    when: "An address or a path came in place of an image: this service opens neither.",
    next: "Send the image itself.",
  },
  image_too_small: {
    status: 400,
    title: "Image too small",
    when: "A side of the image is shorter than `image_side_min_px` of /capabilities.",
    next: "Send a larger picture.",
  },
  no_face_detected: {
    status: 400,
    title: "No face detected",
    when: "No face was found, or none that passes the quality gate.",
    next: "Send another picture, or `enforce_detection: false` to take the whole image as the face.",
  },
  multiple_faces: {
    status: 400,
    title: "Multiple faces",
    when: "`face_policy: single_only` met an image with several faces.",
    next: "Crop the picture, or choose another policy.",
  },
  model_not_allowed: {
    status: 400,
    title: "Model not allowed",
    when: "The operator has not enabled this `model_name`, or the `model_version` of the vectors does not run.",
    next: "Choose one that `detail` names.",
  },
  detector_not_allowed: {
    status: 400,
    title: "Detector not allowed",
    when: "The operator has not enabled this `detector_backend`.",
    next: "Choose one that `detail` names.",
  },
  invalid_distance_metric: {
    status: 400,
    title: "Invalid distance metric",
    when: "`distance_metric` is none of cosine, euclidean and euclidean_l2.",
    next: "Choose one of them.",
  },
  invalid_vector: {
    status: 400,
    title: "Invalid vector",
    when: "A vector is not a list of finite numbers, or holds more of them than a vector may.",
    next: "Send the vector as /represent gave it.",
  },
  dimension_mismatch: {
    status: 400,
    title: "Dimension mismatch",
    when: "A vector has not the length of the model's own.",
    next: "Name the model that the vector comes from.",
  },
  too_many_candidates: {
    status: 400,
    title: "Too many candidates",
    when: "A comparison brings more vectors or images than `limits` of /capabilities allows.",
    next: "Split the call.",
  },
  missing_api_key: {
    status: 401,
    title: "Missing API key",
    when: "The call has no key.",
    next: "Send `Authorization: Bearer KEY` or `x-api-key: KEY`.",
  },
  invalid_api_key: {
    status: 401,
    title: "Invalid API key",
    when: "The key is not known, or two different ones came.",
    next: "Send one key, as it was shown when it was made.",
  },
  key_disabled: {
    status: 403,
    title: "Key disabled",
    when: "The key was revoked.",
    next: "Use another key of the team.",
  },
  not_found: {
    status: 404,
    title: "Not found",
    when: "There is nothing at this path.",
    next: "See /openapi.json for what there is.",
  },
  method_not_allowed: {
    status: 405,
    title: "Method not allowed",
    when: "The path exists and takes other methods.",
    next: "Use one of those in `Allow`.",
  },
  idempotency_conflict: {
    status: 409,
    title: "Idempotency conflict",
    when: "This `Idempotency-Key` came before with another body.",
    next: "Use a key of its own for every call.",
  },
  request_too_large: {
    status: 413,
    title: "Request too large",
    when: "The body, or what stands before it, is larger than the service reads.",
    next: "Send less; `body_bytes` of /capabilities says how much.",
  },
  image_too_large: {
    status: 413,
    title: "Image too large",
    when: "An image has more bytes or pixels than `limits` of /capabilities allows.",
    next: "Shrink the picture.",
  },
  unsupported_media_type: {
    status: 415,
    title: "Unsupported media type",
    when: "The body is neither JSON nor a form, or it is compressed.",
    next: "Send JSON, multipart/form-data or application/x-www-form-urlencoded.",
  },
  rate_limited: {
    status: 429,
    title: "Rate limited",
    when: "The team makes more calls than its limits allow.",
    next: "Wait for `Retry-After` seconds.",
  },
  internal_error: {
    status: 500,
    title: "Internal error",
    when: "A bug of this service.",
    next: "Report it with its `request_id`.",
  },
  upstream_failed: {
    status: 502,
    title: "Upstream failed",
    when: "The workers failed on the images, also when they were tried again.",
    next: "Try once more; then report it with its `request_id`.",
  },
  queue_full: {
    status: 503,
    title: "Queue full",
    when: "More calls, or bytes, wait than the service holds.",
    next: "Wait for `Retry-After` seconds.",
  },
  queue_timeout: {
    status: 503,
    title: "Queue timeout",
    when: "The call could not have been answered within its deadline.",
    next: "Wait for `Retry-After` seconds, or allow more time with `x-request-timeout-ms`.",
  },
  not_ready: {
    status: 503,
    title: "Not ready",
    when: "This instance is starting or stopping.",
    next: "Wait for `Retry-After` seconds.",
  },
  model_unavailable: {
    status: 503,
    title: "Model unavailable",
    when: "The model or detector is enabled, but no live worker has it loaded.",
    next: "Wait for `Retry-After` seconds; see `status` in /capabilities.",
  },
  dependency_unavailable: {
    status: 503,
    title: "Dependency unavailable",
    when: "Kafka or Redis cannot be reached.",
    next: "Wait for `Retry-After` seconds.",
  },
  upstream_timeout: {
    status: 504,
    title: "Upstream timeout",
    when: "The deadline passed before the answer came.",
    next: "Try again, or allow more time with `x-request-timeout-ms`.",
  },
} as const;

export type ErrorCode = keyof typeof errorTable;
export const ErrorCode = z.enum(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]]);

/**
 * Errors of an image that only a worker can detect, when it decodes the image or detects faces in it.
 */
export const InputFault = z.enum([
  "invalid_image",
  "unsupported_image_format",
  "image_too_large",
  "image_too_small",
  "no_face_detected",
]);
export type InputFault = z.infer<typeof InputFault>;
