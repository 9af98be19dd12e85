import * as z from "zod";

/**
 * All errors of the API: stable code, HTTP status, title, when it occurs and what the caller should do next.
 * Responses and the OpenAPI document are made from this table, and a test compares docs/using/errors.md with
 * it. A code is never reused for another meaning.
 */
export const errorTable = {
  invalid_json: {
    status: 400,
    title: "Invalid JSON",
    when: "The body is empty, is not valid JSON in UTF-8 (`detail` has the line and column), or has a key such as `__proto__`.",
    next: "Send one JSON object.",
  },
  invalid_request: {
    status: 400,
    title: "Invalid request",
    when: "A field, a header, a form or the HTTP request itself is invalid; `field` names the field or header at fault.",
    next: "Fix the problem that `detail` describes.",
  },
  missing_image: {
    status: 400,
    title: "Missing image",
    when: "A required image is absent or empty. `detail` names the fields that were sent instead.",
    next: "Send the image as Base64, as a data URL, or as a file in a form.",
  },
  invalid_image: {
    status: 400,
    title: "Invalid image",
    when: "The image is not valid Base64 (`detail` shows the first wrong character), is encoded twice, is damaged, or is an AVIF with several frames, layers or tiles.",
    next: "Send the whole file, encoded once.",
  },
  unsupported_image_format: {
    status: 400,
    title: "Unsupported image format",
    when: "The file is not a JPEG, PNG, WebP or AVIF. The service looks at the bytes, not at the name or media type.",
    next: "Convert the image to one of these formats. For HEIC, `detail` says how.",
  },
  unsupported_image_source: {
    status: 400,
    title: "Unsupported image source",
    when: "A URL or a path was sent instead of an image. The service opens neither.",
    next: "Send the image itself.",
  },
  image_too_small: {
    status: 400,
    title: "Image too small",
    when: "A side of the image is shorter than `image_side_min_px` in /capabilities.",
    next: "Send a larger image.",
  },
  no_face_detected: {
    status: 400,
    title: "No face detected",
    when: "No face was found in the image, or none passed the quality check. For a large image, `detail` says below what width faces may be missed.",
    next: "Crop a large image to the person, send another image, or set `enforce_detection` to `false` to use the whole image as the face.",
  },
  multiple_faces: {
    status: 400,
    title: "Multiple faces",
    when: "The request has `face_policy: single_only`, but an image has several faces.",
    next: "Crop the image to one face, or choose another policy.",
  },
  low_quality: {
    status: 400,
    title: "Low quality",
    when: "No face in the image meets `min_quality` or `min_face_px`; `detail` has the measurements.",
    next: "Send a better image of the face, or leave out these fields.",
  },
  model_not_allowed: {
    status: 400,
    title: "Model not allowed",
    when: "The operator has not enabled this `model_name`, or no worker runs the `model_version` of the embeddings.",
    next: "Choose one that `detail` lists.",
  },
  detector_not_allowed: {
    status: 400,
    title: "Detector not allowed",
    when: "The operator has not enabled this `detector_backend`.",
    next: "Choose one that `detail` lists.",
  },
  invalid_distance_metric: {
    status: 400,
    title: "Invalid distance metric",
    when: "`distance_metric` is not `cosine`, `euclidean` or `euclidean_l2`.",
    next: "Choose one of these metrics.",
  },
  invalid_vector: {
    status: 400,
    title: "Invalid vector",
    when: "An embedding in the request is not a list of finite numbers (or, in `vector`, float32 as Base64), is too long, is all zeros, or was scaled and cannot be compared by `euclidean`.",
    next: "Send the embedding as /represent returned it. If it was scaled, for example by `l2_normalize`, use `cosine` or `euclidean_l2`.",
  },
  dimension_mismatch: {
    status: 400,
    title: "Dimension mismatch",
    when: "An embedding in the request does not have as many numbers as the model's own.",
    next: "Set `model_name` to the model that computed the embedding.",
  },
  missing_model_version: {
    status: 400,
    title: "Missing model version",
    when: "An embedding came with neither `model_version` nor `model_name`, and models may share a length.",
    next: "Send the `model_version` that /represent returned, or `model_name`.",
  },
  too_many_candidates: {
    status: 400,
    title: "Too many candidates",
    when: "The request has more candidates than `limits` in /capabilities allows.",
    next: "Split the candidates across several requests.",
  },
  missing_api_key: {
    status: 401,
    title: "Missing API key",
    when: "Neither header has an API key. If the key is elsewhere in the request, `detail` says where.",
    next: "Send `Authorization: Bearer KEY` or `x-api-key: KEY`.",
  },
  invalid_api_key: {
    status: 401,
    title: "Invalid API key",
    when: "The key is unknown, or the two headers hold different keys.",
    next: "Send one key, exactly as it was shown when it was created.",
  },
  key_disabled: {
    status: 403,
    title: "Key disabled",
    when: "The key was revoked, or it was rotated and has expired.",
    next: "Use another key of the team.",
  },
  not_found: {
    status: 404,
    title: "Not found",
    when: "This path does not exist. `detail` names the path that you may have meant.",
    next: "See /openapi.json for all paths.",
  },
  method_not_allowed: {
    status: 405,
    title: "Method not allowed",
    when: "The path exists but does not accept this method.",
    next: "Use a method that the `Allow` header lists.",
  },
  request_too_large: {
    status: 413,
    title: "Request too large",
    when: "The body or the headers are larger than the service accepts.",
    next: "Send a smaller request. `body_bytes` in /capabilities is the maximum size of a body.",
  },
  image_too_large: {
    status: 413,
    title: "Image too large",
    when: "An image has more bytes or pixels, or needs more memory to decode, than `limits` in /capabilities allows.",
    next: "Send a smaller image.",
  },
  unsupported_media_type: {
    status: 415,
    title: "Unsupported media type",
    when: "The body is not JSON, a form or an image, or it is compressed.",
    next: "Send JSON, multipart/form-data or application/x-www-form-urlencoded.",
  },
  rate_limited: {
    status: 429,
    title: "Rate limited",
    when: "The team, or a visitor to the home page, sent more requests than the rate limit allows.",
    next: "Wait for `Retry-After` seconds.",
  },
  internal_error: {
    status: 500,
    title: "Internal error",
    when: "An unexpected error occurred in the service.",
    next: "Report it with its `request_id`.",
  },
  upstream_failed: {
    status: 502,
    title: "Upstream failed",
    when: "The workers failed to process the images, even after retries.",
    next: "Retry once. If it fails again, report it with its `request_id`.",
  },
  queue_full: {
    status: 503,
    title: "Queue full",
    when: "Too many requests or bytes are waiting, or this server does not have enough CPU for them.",
    next: "Wait for `Retry-After` seconds.",
  },
  queue_timeout: {
    status: 503,
    title: "Queue timeout",
    when: "The request was refused because its deadline could not be met.",
    next: "Wait for `Retry-After` seconds, or allow more time with `x-request-timeout-ms`.",
  },
  not_ready: {
    status: 503,
    title: "Not ready",
    when: "The process that received the request is starting or stopping.",
    next: "Wait for `Retry-After` seconds.",
  },
  model_unavailable: {
    status: 503,
    title: "Model unavailable",
    when: "The model or detector is enabled, but no live worker has it loaded.",
    next: "Wait for `Retry-After` seconds, and check `status` in /capabilities.",
  },
  dependency_unavailable: {
    status: 503,
    title: "Dependency unavailable",
    when: "A server that the request needs does not respond; `dependency` names it.",
    next: "Wait for `Retry-After` seconds.",
  },
  upstream_timeout: {
    status: 504,
    title: "Upstream timeout",
    when: "The deadline passed before the response was ready.",
    next: "Retry, or allow more time with `x-request-timeout-ms`.",
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
