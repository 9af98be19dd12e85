import { encodeEmbedding } from "@faceline/contracts/wire/face";

/** A plain square, small enough for a document. The service finds no face in it. */
const image = "UklGRjgAAABXRUJQVlA4ICwAAACQAQCdASoQABAAAUAmJaACdLoAA5gA/vBTH+j64RZGX/7Gb/56P/z0f6hgAA==";
const dataUrl = `data:image/webp;base64,${image}`;

/** A vector of the length of SFace's embeddings. */
const vector = (seed: number): number[] =>
  Array.from({ length: 128 }, (_, i) => Number((Math.sin(i * seed + seed) / 8).toFixed(4)));

const base64Vector = (seed: number): string => encodeEmbedding(Float32Array.from(vector(seed)));

const facialArea = {
  x: 116,
  y: 164,
  w: 243,
  h: 231,
  left_eye: [301, 235],
  right_eye: [203, 245],
  detector: "ssd",
  face_found: true,
};
const otherFacialArea = {
  x: 88,
  y: 102,
  w: 197,
  h: 204,
  left_eye: [231, 170],
  right_eye: [150, 163],
  detector: "ssd",
  face_found: true,
};
const quality = {
  eye_distance_px: 98.5,
  sharpness: 0.487,
  yaw: -4,
  pitch: 2,
  roll: 6,
  brightness: 0.58,
  outside_share: 0,
};
const request_id = "01a1fd7b-f82f-723a-ba87-61ba8be62e83";
const result = {
  embedding: vector(5),
  facial_area: facialArea,
  face_confidence: 0.98,
  quality,
  quality_issues: [],
  model_name: "SFace",
  model_version: "0123456789ab",
  precision: "int8",
};

const verify: EndpointExamples = {
  requests: {
    "application/json": {
      images: {
        summary: "Two images",
        value: { img1: image, img2: image, distance_metric: "euclidean", threshold: 0.55, all_faces: true },
      },
      vectors: {
        summary: "An image and an embedding",
        value: { img1: dataUrl, img2: vector(2), model_name: "SFace" },
      },
      references: {
        summary: "Three embeddings of one person, and an image",
        value: { img1: [vector(2), vector(3), vector(5)], img2: dataUrl, model_name: "SFace" },
      },
    },
    "multipart/form-data": {
      images: { summary: "Image files", value: { img1: image, img2: image, distance_metric: "cosine" } },
    },
  },
  responses: {
    verified: {
      summary: "The same person",
      value: {
        verified: true,
        distance: 0.173293,
        false_match_rate: 0.0000129,
        threshold: 0.593,
        threshold_false_match_rate: 0.000374,
        warnings: [],
        model_name: "SFace",
        model: "SFace",
        detector_backend: "auto",
        distance_metric: "cosine",
        similarity_metric: "cosine",
        facial_areas: { img1: facialArea, img2: otherFacialArea },
        faces_compared: { img1: 1, img2: 1 },
        quality: { img1: quality, img2: { ...quality, eye_distance_px: 81.3, roll: -5, sharpness: 0.291 } },
        quality_issues: { img1: [], img2: ["blurred"] },
        references: [],
        time: 0.142,
        request_id,
      },
    },
  },
};

const represent: EndpointExamples = {
  requests: {
    "application/json": {
      image: { summary: "An image", value: { img: image, max_faces: 1, l2_normalize: true } },
      base64: { summary: "Embeddings as Base64", value: { img: image, embedding_format: "base64" } },
    },
    "multipart/form-data": {
      image: { summary: "An image file", value: { img: image, max_faces: 1 } },
    },
  },
  responses: {
    object: {
      summary: "One face",
      value: { results: [result], model: "SFace", detector_backend: "auto", time: 0.09, request_id },
    },
  },
};

const compared = {
  index: 0,
  id: "ann",
  person: null,
  distance: 0.221408,
  false_match_rate: 0.0000129,
  match: true,
  face_found: true,
  facial_areas: [facialArea],
  references: 1,
};

const compare: EndpointExamples = {
  requests: {
    "application/json": {
      images: {
        summary: "One image and several others",
        value: { img: image, candidates: [{ id: "ann", img: image }, dataUrl] },
      },
      vectors: {
        summary: "Embeddings alone",
        value: {
          vector: vector(2),
          candidates: [
            { person: "ann", vector: vector(3) },
            { person: "ann", vector: vector(5) },
          ],
          model_name: "SFace",
          distance_metric: "euclidean_l2",
        },
      },
      base64: {
        summary: "Embeddings as Base64",
        value: {
          vector: base64Vector(2),
          candidates: [{ id: "ann", vector: base64Vector(3) }],
          model_name: "SFace",
        },
      },
    },
    "multipart/form-data": {
      images: { summary: "Image files", value: { img: image, candidates: [image, dataUrl] } },
    },
  },
  responses: {
    compared: {
      summary: "The second candidate has no face",
      value: {
        model_name: "SFace",
        distance_metric: "cosine",
        metric: "cosine",
        source: {
          type: "image",
          vector_length: 128,
          face_index: 0,
          face_found: true,
          facial_area: facialArea,
        },
        results: [
          compared,
          {
            index: 1,
            id: "1",
            person: null,
            error: "no_face_detected",
            detail: "No face was found in candidate 1.",
          },
        ],
        threshold: 0.593,
        threshold_false_match_rate: 0.000374,
        warnings: [],
        best_match: compared,
        time: 0.166,
        request_id,
      },
    },
  },
};

/** Examples of each compute endpoint: requests by content type, which a test sends, and responses. */
export const examples: Record<string, EndpointExamples> = {
  "/verify": verify,
  "/represent": represent,
  "/compare": compare,
};

type EndpointExamples = {
  requests: Record<"application/json" | "multipart/form-data", Examples>;
  responses: Examples;
};
type Examples = Record<string, { summary: string; value: unknown }>;
