/** A plain square: small enough for a document. The real service finds no face in it. */
const picture = "UklGRjgAAABXRUJQVlA4ICwAAACQAQCdASoQABAAAUAmJaACdLoAA5gA/vBTH+j64RZGX/7Gb/56P/z0f6hgAA==";
const dataUrl = `data:image/webp;base64,${picture}`;

/** As long as Dlib's. */
const vector = (seed: number): number[] =>
  Array.from({ length: 128 }, (_, i) => Number((Math.sin(i * seed + seed) / 8).toFixed(4)));

/** Requests, by the way in which they are sent. Each is posted by a test, and gets a 200. */
export const requestExamples: Record<ComputePath, Record<BodyType, Record<string, RequestExample>>> = {
  "/verify": {
    "application/json": {
      images: {
        summary: "Two images",
        value: { img1: picture, img2: picture, distance_metric: "euclidean", threshold: 0.6 },
      },
      vectors: { summary: "An image and a vector", value: { img1: dataUrl, img2: vector(2) } },
      deepface: {
        summary: "As clients of DeepFace's own server send it",
        value: {
          img1_path: dataUrl,
          img2_path: dataUrl,
          model_name: "Dlib",
          detector_backend: "ssd",
          distance_metric: "cosine",
          align: true,
          enforce_detection: true,
          anti_spoofing: false,
        },
      },
    },
    "multipart/form-data": {
      images: { summary: "A form", value: { img1: picture, img2: picture, threshold: 0.1, align: false } },
    },
    "application/x-www-form-urlencoded": {
      images: { summary: "A form", value: { img1: picture, img2: picture, face_policy: "largest" } },
    },
  },
  "/represent": {
    "application/json": {
      image: { summary: "An image", value: { img: picture, max_faces: 1, l2_normalize: true } },
      base64: { summary: "Embeddings as Base64", value: { img: picture, embedding_format: "base64" } },
      deepface: {
        summary: "As clients of DeepFace's own server send it",
        value: { img_path: dataUrl, model_name: "Dlib", detector_backend: "ssd", max_faces: 1 },
      },
    },
    "multipart/form-data": {
      image: { summary: "A form", value: { img: picture, detector_backend: "tiny" } },
    },
    "application/x-www-form-urlencoded": {
      image: { summary: "A form", value: { img: picture, enforce_detection: "False" } },
    },
  },
  "/compare": {
    "application/json": {
      images: {
        summary: "One image with several",
        value: { img: picture, candidates: [{ id: "ann", img: picture }, dataUrl] },
      },
      vectors: {
        summary: "Vectors alone",
        value: { vector: vector(2), candidates: [{ id: "ann", vector: vector(3) }], metric: "euclidean_l2" },
      },
    },
    "multipart/form-data": {
      images: { summary: "A form", value: { img: picture, candidates: [picture, dataUrl] } },
    },
    "application/x-www-form-urlencoded": {
      images: { summary: "A form", value: { img: picture, candidates: [picture] } },
    },
  },
};

const faceFound = { x: 116, y: 164, w: 243, h: 231, left_eye: [301, 235], right_eye: [203, 245] };
const request_id = "01a1fd7b-f82f-723a-ba87-61ba8be62e83";
const result = {
  embedding: vector(5),
  facial_area: faceFound,
  face_confidence: 0.98,
  model_name: "Dlib",
};

export const replyExamples: Record<ComputePath, Record<string, RequestExample>> = {
  "/verify": {
    verified: {
      summary: "The same person",
      value: {
        verified: true,
        distance: 0.0015,
        threshold: 0.0737,
        model: "Dlib",
        detector_backend: "ssd",
        similarity_metric: "cosine",
        facial_areas: { img1: faceFound, img2: faceFound },
        time: 0.142,
        request_id,
      },
    },
  },
  "/represent": {
    object: {
      summary: "An object",
      value: { results: [result], model: "Dlib", detector_backend: "ssd", time: 0.09, request_id },
    },
    array: { summary: "With ?format=array", value: [result] },
  },
  "/compare": {
    compared: {
      summary: "The second candidate has no face",
      value: {
        model_name: "Dlib",
        metric: "cosine",
        source: { type: "image", vector_length: 128, face_index: 0 },
        results: [
          { index: 0, distance: 0.0412, id: "ann", match: true },
          { index: 1, id: "1", error: "no_face_detected", detail: "No face was found in candidate 1." },
        ],
        threshold: 0.0737,
        best_match: { index: 0, distance: 0.0412, id: "ann", match: true },
        time: 0.166,
        request_id,
      },
    },
  },
};

export type ComputePath = "/verify" | "/represent" | "/compare";
export type BodyType = "application/json" | "multipart/form-data" | "application/x-www-form-urlencoded";
export type RequestExample = { summary: string; value: unknown };
