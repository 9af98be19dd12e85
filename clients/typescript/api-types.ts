// The bodies of the HTTP API as plain types, so that the package needs no other one, not even for its types.
// api-types.test.ts holds them equal to the schemas that the service parses with.

/**
 * An image: Base64, a data URL, or the bytes of a JPEG, PNG, WebP or AVIF file. The service opens no address
 * and no path.
 */
export type ImageInput = string | Uint8Array | Blob;

/** An embedding that `represent` gave earlier, as a list of finite numbers. */
export type Vector = number[];

/** The same in a field `vector`, which takes the Base64 that `represent` gives, too. */
export type NamedVector = Vector | string;

export type DistanceMetric = "cosine" | "euclidean" | "euclidean_l2";

/** Options of every request that detects faces. */
export type DetectionOptions = {
  /** One of `models` of `capabilities()`. Defaults to its `default_model`. */
  model_name?: string | undefined;
  /** One of `detectors` of `capabilities()`. Defaults to its `default_detector`. */
  detector_backend?: string | undefined;
  /**
   * False: where no face is found, the whole image is taken as the face; `face_found` says so,
   * and nothing is a match then. Defaults to true.
   */
  enforce_detection?: boolean | undefined;
  /** False: the detector's box is used as it is; the thresholds are unmeasured then. Defaults to true. */
  align?: boolean | undefined;
  /** One of `normalizations` of the model. Defaults to `base`, the model's own preprocessing. */
  normalization?: string | undefined;
  /** Faces with fewer pixels between the eyes are left out. Defaults to faces of every size. */
  min_face_px?: number | undefined;
  /** `no_issues`: faces with any of `quality_issues` are left out. Defaults to `none`. */
  min_quality?: "none" | "no_issues" | undefined;
  /** Accepted for DeepFace clients: true is refused. */
  anti_spoofing?: boolean | undefined;
  /** Accepted for DeepFace clients: anything but 0 is refused. */
  expand_percentage?: 0 | undefined;
};

/** Further options of the requests that compare faces. */
export type DistanceOptions = {
  /** Defaults to `cosine`. */
  distance_metric?: DistanceMetric | undefined;
  /**
   * A distance, not a percentage: from 0 to `thresholds_max` of the model. Defaults to the model's own
   * threshold for the metric. Thresholds of other libraries do not apply.
   */
  threshold?: number | undefined;
  /**
   * True: every face that `represent` finds counts. Defaults to false: faster, and beside a clear face small
   * ones may be missed (`missed_width_share` of `capabilities()`).
   */
  all_faces?: boolean | undefined;
  /**
   * The `model_version` of the vectors of the request, which selects the model if `model_name` is absent. One
   * of the two must come with vectors. A version that no worker runs is refused.
   */
  model_version?: string | undefined;
};

/** Body of POST /verify. */
export type VerifyRequest = DetectionOptions &
  DistanceOptions & {
    /** A list of up to 5 shows one person, and their embeddings are averaged. */
    img1: ImageInput | Vector | (ImageInput | Vector)[];
    img2: ImageInput | Vector;
    /** Choice among several faces of an image: the nearest pair (the default), the largest, or an error. */
    face_policy?: "best_pair" | "largest" | "single_only" | undefined;
  };

/** Body of POST /represent. */
export type RepresentRequest = Omit<DetectionOptions, "model_name"> & {
  img: ImageInput;
  /** Each model of a list embeds every face. Defaults to `default_model`. */
  model_name?: string | string[] | undefined;
  /** The largest faces come first. Defaults to all that the service gives (`limits.faces`). */
  max_faces?: number | undefined;
  /**
   * True: embeddings of length 1, to be compared by cosine or euclidean_l2: by euclidean they are refused
   * where the model's own have other lengths. Defaults to false.
   */
  l2_normalize?: boolean | undefined;
  /** `base64` is float32, little-endian: a quarter of the size. Defaults to `float`, a list of numbers. */
  embedding_format?: "float" | "base64" | undefined;
};

/** An image or a vector to compare with the source; an `id` comes back with its result. */
export type Candidate =
  | ImageInput
  | Vector
  | (CandidateName & { img: ImageInput })
  | (CandidateName & { vector: NamedVector; model_version?: string | undefined });

/** Up to 5 candidates with the same `person` are compared as one: their embeddings are averaged. */
type CandidateName = { id?: string | number | undefined; person?: string | undefined };

/** Body of POST /compare: either `img` or `vector` is the source. */
export type CompareRequest = DetectionOptions &
  DistanceOptions & {
    img?: ImageInput | undefined;
    vector?: NamedVector | undefined;
    candidates: Candidate[];
    /** Index of the face of the source image, largest first. Defaults to 0. */
    face_index?: number | undefined;
  };

/** Position of a face, in pixels of the upright image. Eyes are the person's own left and right. */
export type FacialArea = {
  x: number;
  y: number;
  w: number;
  h: number;
  /** `[x, y]`; null where the whole image was taken as the face. */
  left_eye: [number, number] | null;
  right_eye: [number, number] | null;
  /** The detector that found the face; null where the whole image was taken as the face. */
  detector: string | null;
  /** False where no face was found, and the whole image was taken as the face. */
  face_found: boolean;
};

/** Measurements of a face. Angles are in degrees, as seen in the image. */
export type FaceQuality = {
  /** Pixels between the eyes, in the image as it was sent. */
  eye_distance_px: number;
  /** About 0.5 in a sharp photograph, 0 in a plain area. */
  sharpness: number;
  /** Above 0: the face looks to the right. */
  yaw: number;
  /** Above 0: the face looks up. */
  pitch: number;
  /** Above 0: the head leans clockwise. */
  roll: number;
  /** 0 is black, 1 is white. */
  brightness: number;
  /** Share of the face that the edge of the image cuts off. */
  outside_share: number;
};

/** Why a face may not be recognised. /openapi.json has the bounds. */
export type QualityIssue = "too_small" | "blurred" | "turned_away" | "too_dark" | "too_bright" | "cut_off";

/** The threshold of a response with a verdict. */
export type ThresholdFields = {
  threshold: number;
  /** `false_match_rate` of a distance at the threshold. Null where nothing was measured. */
  threshold_false_match_rate: number | null;
  /** Log them: `threshold_too_high` if the threshold matches more than 10% of pairs of different people. */
  warnings: { code: string; detail: string }[];
};

export type VerifyResponse = ThresholdFields & {
  /** Always false where no face was found in one of the images. */
  verified: boolean;
  /** Rounded to 6 decimals before it is compared with the threshold. */
  distance: number;
  /**
   * The share of pairs of different people whose distance is this small or smaller, an estimate. Null where
   * nothing was measured, with `align: false`, and where no face was found.
   */
  false_match_rate: number | null;
  model: string;
  detector_backend: string;
  similarity_metric: DistanceMetric;
  /** Null where a vector came in place of the image. */
  facial_areas: { img1: FacialArea | null; img2: FacialArea | null };
  /**
   * How many faces of each image were compared; 0 where none was found and the whole image was taken as one;
   * null where a vector came in place of the image.
   */
  faces_compared: { img1: number | null; img2: number | null };
  /** Null where a vector came, or nothing was measured. */
  quality: { img1: FaceQuality | null; img2: FaceQuality | null };
  quality_issues: { img1: QualityIssue[] | null; img2: QualityIssue[] | null };
  /** The face in each image of a list `img1`, whose fields above are null; empty without a list. */
  references: {
    facial_area: FacialArea | null;
    quality: FaceQuality | null;
    quality_issues: QualityIssue[] | null;
  }[];
  /** Seconds. */
  time: number;
  request_id: string;
};

export type RepresentResponse = {
  /** One for each face, largest first; with several models, all of the first, then those of the next. */
  results: {
    /** Numbers, or Base64 of float32 where `embedding_format` is `base64`. */
    embedding: number[] | string;
    facial_area: FacialArea;
    /** The detector's score, 0 to 1; 0 where the whole image was taken as the face. */
    face_confidence: number;
    /** Null where nothing was measured. */
    quality: FaceQuality | null;
    quality_issues: QualityIssue[] | null;
    model_name: string;
    /** Names the weights and the alignment. Store it with the embedding. */
    model_version: string;
    /** Precision of the computation. Embeddings of both may be compared. */
    precision: "float32" | "int8";
  }[];
  model: string;
  detector_backend: string;
  /** Seconds. */
  time: number;
  request_id: string;
};

/**
 * A candidate that was compared. `index` is its position in the request. `face_found` is null for a vector;
 * where it is false, the whole image was taken as the face, and `match` is false. `false_match_rate` is as in
 * the response of `verify`.
 */
export type ComparedCandidate = {
  index: number;
  distance: number;
  false_match_rate: number | null;
  id: string;
  match: boolean;
  face_found: boolean | null;
  /** Null for a vector. */
  facial_areas: (FacialArea | null)[];
  /** The `index` and `id` are those of the person's first candidate. Null: the candidate named no person. */
  person: string | null;
  /** How many embeddings were averaged. */
  references: number;
};

/** A candidate that could not be compared, and why. */
export type FailedCandidate = {
  index: number;
  id: string;
  person: string | null;
  error: ErrorCode;
  detail: string;
};

export type CompareResponse = ThresholdFields & {
  model_name: string;
  metric: DistanceMetric;
  /** `face_index`, `face_found` and `facial_area` are null where the source is a vector. */
  source: {
    type: "image" | "vector";
    vector_length: number;
    face_index: number | null;
    face_found: boolean | null;
    facial_area: FacialArea | null;
  };
  /** Results in the order of the request. */
  results: (ComparedCandidate | FailedCandidate)[];
  /** The smallest distance, whether it matches or not; the first of equal ones. */
  best_match: ComparedCandidate;
  /** Seconds. */
  time: number;
  request_id: string;
};

/** Properties of a model's or a detector's network. */
export type NetworkDetails = {
  /** An SPDX expression. */
  license: string;
  sha256: string;
  /** `float32` or `int8`; null while no worker has the network loaded. */
  precision: string | null;
  /** It runs in float32 because int8 deviates on the worker's CPU. */
  precision_fallback: boolean;
  status: "ready" | "unavailable";
  /** Networks that live workers run, also the landmark model: several of one name during a rollout. */
  builds: {
    name: string;
    sha256: string;
    precision: "float32" | "int8";
    precision_fallback: boolean;
    execution_provider: string;
  }[];
};

export type DetectorDetails = NetworkDetails & {
  /**
   * Width, as a share of the longer side, below which `verify` and `compare` may miss faces beside a clear
   * one, unless `all_faces` is true. Null: they find all that `represent` finds.
   */
  missed_width_share: number | null;
  /** Width, as a share of the longer side, below which faces are often not found. Null: not measured. */
  found_width_share: number | null;
  /** Null: not measured. */
  card: ModelCard | null;
};

/**
 * Thresholds whose false match rate is at most `fmr_wanted` on the operator's images, with 95% confidence.
 */
export type ThresholdsCalibration = {
  /** UTC. */
  calibrated_at: string;
  fmr_wanted: number;
  pairs_same: number;
  pairs_different: number;
  people: number;
  detector: string;
};

/** A share from 0 to 1, with its 95% interval over people. */
export type Rate = { value: number; low: number; high: number };

/** Error rates of pairs with a face in both images. */
export type ErrorRates = {
  pairs_same: number;
  pairs_different: number;
  fnmr_at_fmr_1_percent: Rate;
  fnmr_at_fmr_0_1_percent: Rate;
  /** False non-match rate and false match rate at the default threshold of the cosine distance. */
  fnmr: Rate;
  fmr: Rate;
};

/** What the authors of Faceline measured of a model or detector. */
export type ModelCard = {
  /** A day, such as `2026-11-26`. */
  measured_on: string;
  measured_by: string;
  /** Model and detector. */
  lane: string;
  model_version: string;
  precision: "float32" | "int8";
  processor: string;
  cpu_ms_per_face: number;
  memory_mib: number;
  sets: { name: string; source: string; images: number; people: number }[];
  conditions: {
    /** Name of one of `sets`. */
    set: string;
    /** `as it is`, or what was done to one image of each pair. */
    condition: string;
    images: number;
    /** Images without a face. Their pairs are not in the rates. */
    not_enrolled: number;
    /** Null for a detector, and where no two images of one person, or none of two people, have a face. */
    rates: ErrorRates | null;
  }[];
  weaknesses: { text: string; source: string }[];
};

export type ModelDetails = NetworkDetails & {
  embedding_size: number;
  /** Names the weights and the alignment. Vectors of equal versions may be compared. */
  model_version: string;
  thresholds: Record<DistanceMetric, number>;
  /** The largest threshold of a request: half of the measured pairs of different people are within it. */
  thresholds_max: Record<DistanceMetric, number>;
  /** The data that each threshold comes from. */
  thresholds_from: Record<DistanceMetric, string>;
  /** The operator's calibration that the thresholds come from. Null: they are those of the model. */
  thresholds_calibration: ThresholdsCalibration | null;
  /** The pairs of different people that `false_match_rate` rests on. Null: there are none. */
  false_match_rate_from: { source: "operator" | "card"; pairs: number } | null;
  normalizations: string[];
  /** Null while no worker has the model loaded. */
  batch_max: number | null;
  execution_provider: string | null;
  /** Null: not measured. */
  card: ModelCard | null;
};

export type CapabilitiesResponse = {
  models: string[];
  default_model: string;
  detectors: string[];
  default_detector: string;
  distance_metrics: DistanceMetric[];
  normalizations: string[];
  image_formats: string[];
  model_details: Record<string, ModelDetails>;
  detector_details: Record<string, DetectorDetails>;
  limits: {
    body_bytes: number;
    image_bytes: number;
    image_pixels: number;
    image_decoding_bytes: number;
    image_side_min_px: number;
    candidate_vectors: number;
    candidate_images: number;
    vector_length: number;
    faces: number;
    deadline_default_ms: number;
    deadline_min_ms: number;
    deadline_max_ms: number;
    /** Defaults of a team that has no limits of its own; 0: not limited. */
    team_requests_per_second: number;
    team_requests_burst: number;
    team_in_flight: number;
  };
  features: {
    face_policies: ("best_pair" | "largest" | "single_only")[];
    embedding_formats: ("float" | "base64")[];
    vectors: boolean;
    anti_spoofing: boolean;
    /** Whether the home page sends requests without a key. */
    tester: boolean;
    thresholds_unaligned: "unmeasured";
  };
  version: string;
};

export type HealthResponse = {
  /** `degraded`: a request that needs a worker could not be served now. */
  status: "ok" | "degraded";
  version: string;
  revision?: string | undefined;
  checks: {
    kafka: "ok" | "unavailable";
    redis: "ok" | "unavailable";
    redis_durable: "ok" | "unavailable";
    /** Load by pool, then by lane (model and detector). */
    pools: Record<string, Record<string, { workers: number; waiting: number; expected_wait_ms: number }>>;
  };
  /** How a request that needs a worker would be refused, with `degraded`. */
  refusal?: { error: ErrorCode; dependency?: Dependency | undefined; detail: string } | undefined;
};

/** Body of every error of the service. Its page /docs/errors says what each `error` means and what to do. */
export type Problem = {
  error: ErrorCode;
  /** A sentence for people. It may be reworded, and never repeats what was sent. */
  detail: string;
  request_id: string;
  status: number;
  title: string;
  type: string;
  /** The field or header at fault. */
  field?: string | undefined;
  /** 0 and 1 for img1 and img2; for a candidate, its position in the request. */
  index?: number | undefined;
  /** What is missing, with `dependency_unavailable`. */
  dependency?: Dependency | undefined;
};

/** What a request needs besides the process that received it. */
export type Dependency = "kafka" | "redis-volatile" | "redis-durable" | "batcher";

/** The stable codes of the service's errors. */
export type ErrorCode =
  | "invalid_json"
  | "invalid_request"
  | "missing_image"
  | "invalid_image"
  | "unsupported_image_format"
  | "unsupported_image_source"
  | "image_too_small"
  | "no_face_detected"
  | "multiple_faces"
  | "low_quality"
  | "model_not_allowed"
  | "detector_not_allowed"
  | "invalid_distance_metric"
  | "invalid_vector"
  | "dimension_mismatch"
  | "missing_model_version"
  | "too_many_candidates"
  | "missing_api_key"
  | "invalid_api_key"
  | "key_disabled"
  | "not_found"
  | "method_not_allowed"
  | "request_too_large"
  | "image_too_large"
  | "unsupported_media_type"
  | "rate_limited"
  | "internal_error"
  | "upstream_failed"
  | "queue_full"
  | "queue_timeout"
  | "not_ready"
  | "model_unavailable"
  | "dependency_unavailable"
  | "upstream_timeout";
