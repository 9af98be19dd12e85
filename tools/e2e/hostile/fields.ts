import { type ExpectedEnd, type HostileCall, jsonBody, marker } from "./hostile-call.ts";

/** Every field with every type that it does not take: one at a time, in an otherwise valid call. */
export const fields = (): HostileCall[] =>
  Object.entries(callsByPath).flatMap(([path, { valid, fields }]) =>
    Object.entries(fields).flatMap(([field, kind]) =>
      Object.entries(values).flatMap(([what, value]) => {
        const ends = kind[what as keyof typeof values];
        if (ends === undefined) return [];
        const others = Object.entries(valid).filter(([name]) => name !== replaced[field]);
        const body = jsonBody({ ...Object.fromEntries(others), [field]: value });
        return [{ name: `${path} ${field}: ${what}`, path, body, ends }];
      }),
    ),
  );

const values = {
  true: true,
  "a number": 7.5,
  "a number below 0": -7,
  "a text": marker,
  "a number as text": "5",
  "an empty text": "",
  "a lone surrogate": "\ud800",
  "a null byte": "\0",
  "an object": { [marker]: marker },
  "an empty list": [],
  "a list of texts": [marker],
  "a list of lists": [[marker]],
};

/** For a kind of field: the values that it rejects, with the error code. Absent values are valid. */
type Kind = Partial<Record<keyof typeof values, ExpectedEnd>>;

const all = (ends: ExpectedEnd): Kind => Object.fromEntries(Object.keys(values).map((what) => [what, ends]));
const lists = (ends: ExpectedEnd): Kind => ({
  "an empty list": ends,
  "a list of texts": ends,
  "a list of lists": ends,
});

const image: Kind = {
  ...all("invalid_request"),
  // Its characters are Base64.
  "a text": "unsupported_image_format",
  "a number as text": "invalid_image",
  "an empty text": "missing_image",
  "a lone surrogate": "invalid_image",
  "a null byte": "invalid_image",
};
const imageOrVector: Kind = { ...image, ...lists("invalid_vector") };
const name = (ends: ExpectedEnd): Kind => ({
  ...all("invalid_request"),
  "a text": ends,
  "a number as text": ends,
  "an empty text": ends,
  "a lone surrogate": ends,
  "a null byte": ends,
});
const invalid = all("invalid_request");
const { true: _flag, ...notFlag } = invalid;
const { "a number": _number, ...notNumber } = invalid;
const { "a list of texts": _texts, "a list of lists": _lists, ...notList } = invalid;

const detection = {
  model_name: name("model_not_allowed"),
  detector_backend: name("detector_not_allowed"),
  normalization: invalid,
  enforce_detection: notFlag,
  align: notFlag,
  anti_spoofing: invalid,
};
const vector = Array.from({ length: 128 }, (_, i) => i);

const callsByPath: Record<string, { valid: Record<string, unknown>; fields: Record<string, Kind> }> = {
  "/verify": {
    valid: { img1: vector, img2: vector },
    fields: {
      img1: imageOrVector,
      img2: imageOrVector,
      img1_path: imageOrVector,
      img2_path: imageOrVector,
      ...detection,
      distance_metric: all("invalid_distance_metric"),
      threshold: notNumber,
      face_policy: invalid,
    },
  },
  "/represent": {
    valid: { img: "AAAA" },
    fields: {
      img: image,
      img_path: image,
      ...detection,
      max_faces: invalid,
      l2_normalize: notFlag,
      embedding_format: invalid,
    },
  },
  "/compare": {
    valid: { vector, candidates: [vector] },
    fields: {
      img: image,
      vector: all("invalid_vector"),
      source_vector: all("invalid_vector"),
      candidates: notList,
      target_vectors: notList,
      ...detection,
      distance_metric: all("invalid_distance_metric"),
      metric: all("invalid_distance_metric"),
      threshold: notNumber,
      face_index: invalid,
    },
  },
};

/** The field of the valid call that is removed when this one is added. */
const replaced: Record<string, string> = {
  img1_path: "img1",
  img2_path: "img2",
  img_path: "img",
  img: "vector",
  source_vector: "vector",
  target_vectors: "candidates",
};
