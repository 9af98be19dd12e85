import * as z from "zod";

/**
 * Every way in which a call can fail: the stable code, its HTTP status and its title. One table, from which replies,
 * tests and documents are made. A code is never reused for another meaning.
 */
export const errorTable = {
  invalid_json: { status: 400, title: "Invalid JSON" },
  invalid_request: { status: 400, title: "Invalid request" },
  missing_image: { status: 400, title: "Missing image" },
  invalid_image: { status: 400, title: "Invalid image" },
  unsupported_image_format: { status: 400, title: "Unsupported image format" },
  unsupported_image_source: { status: 400, title: "Unsupported image source" },
  image_too_small: { status: 400, title: "Image too small" },
  no_face_detected: { status: 400, title: "No face detected" },
  multiple_faces: { status: 400, title: "Multiple faces" },
  model_not_allowed: { status: 400, title: "Model not allowed" },
  detector_not_allowed: { status: 400, title: "Detector not allowed" },
  invalid_distance_metric: { status: 400, title: "Invalid distance metric" },
  invalid_vector: { status: 400, title: "Invalid vector" },
  dimension_mismatch: { status: 400, title: "Dimension mismatch" },
  too_many_candidates: { status: 400, title: "Too many candidates" },
  missing_api_key: { status: 401, title: "Missing API key" },
  invalid_api_key: { status: 401, title: "Invalid API key" },
  key_disabled: { status: 403, title: "Key disabled" },
  not_found: { status: 404, title: "Not found" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  idempotency_conflict: { status: 409, title: "Idempotency conflict" },
  request_too_large: { status: 413, title: "Request too large" },
  image_too_large: { status: 413, title: "Image too large" },
  unsupported_media_type: { status: 415, title: "Unsupported media type" },
  rate_limited: { status: 429, title: "Rate limited" },
  internal_error: { status: 500, title: "Internal error" },
  upstream_failed: { status: 502, title: "Upstream failed" },
  queue_full: { status: 503, title: "Queue full" },
  queue_timeout: { status: 503, title: "Queue timeout" },
  not_ready: { status: 503, title: "Not ready" },
  model_unavailable: { status: 503, title: "Model unavailable" },
  dependency_unavailable: { status: 503, title: "Dependency unavailable" },
  upstream_timeout: { status: 504, title: "Upstream timeout" },
} as const;

export type ErrorCode = keyof typeof errorTable;

/** The faults of an input that only a worker can find: by decoding the image, or by looking for a face in it. */
export const InputFault = z.enum([
  "invalid_image",
  "unsupported_image_format",
  "image_too_large",
  "image_too_small",
  "no_face_detected",
]);
export type InputFault = z.infer<typeof InputFault>;
