import type { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import * as z from "zod";
import { Sha256, Source } from "./catalogue-source.ts";
import { FalseMatchCurves } from "./false-match-curve.ts";

/**
 * The fields of a catalogue entry, `catalogue/<name>/model.json`. They are in snake_case, because the API
 * shows some of them as they are. entry-rules.ts has the relations between them.
 */

const Positive = z.int().positive();

const TensorName = z.string().min(1);

const Tensor = z.strictObject({
  name: TensorName,
  type: z.enum(["uint8", "float32"]),
  /** "N" is the size of the batch, which the caller chooses. */
  shape: z.tuple([z.literal("N")], Positive),
});

const Build = z.strictObject({
  precision: z.enum(["float32", "int8"]),
  /** The side of its square input images. */
  input_px: Positive,
  /** File name in the folder of built models. */
  file: z.string().regex(/^[a-z0-9._-]+\.onnx$/, "must be a plain file name that ends in .onnx"),
  bytes: Positive,
  sha256: Sha256,
});
export type Build = z.infer<typeof Build>;
export type Precision = Build["precision"];
/** A precision, and the side of the input images. */
export type Variant = Pick<Build, "precision" | "input_px">;

/** Ranges of the layers of an int8 build. They are measured, because the weights do not show them. */
const Calibration = z.strictObject({
  /** The images that they were measured on, in a sentence. */
  measured_on: z.string().min(1),
  /** Factor between the measured ranges and these. */
  headroom: z.number().min(1).max(2),
  /**
   * Percentile, over the images, of the extremes of each channel; what only few images reach is clipped. 100
   * by default.
   */
  percentile: z.number().min(90).max(100).optional(),
  ranges: z.record(
    z.string(),
    z.tuple([z.number(), z.number()]).refine(([least, most]) => least <= most, {
      error: "must not end below its start",
    }),
  ),
  /**
   * Scales of the channels of layers with a PReLU, a letter for each, so that every channel uses all steps of
   * eight bits. "m" is 1, and each letter is the square root of 2 times the one before it.
   */
  channel_scales: z.record(z.string(), z.string().regex(/^[a-z]+$/)).optional(),
});
export type Calibration = z.infer<typeof Calibration>;

/** How a landmark model numbers its points. The aligner has a template for each. */
export const landmarkCounts = { ibug_68: 68, five_point: 5 } as const;
export type LandmarkScheme = keyof typeof landmarkCounts;
const LandmarkScheme = z.enum(Object.keys(landmarkCounts) as [LandmarkScheme, ...LandmarkScheme[]]);

export const License = z.strictObject({
  /** SPDX, or LicenseRef- if SPDX has no name for it. */
  id: z.string().min(1),
  covers: z.string().min(1),
  stated_by: z.string().min(1),
  /** `non_commercial`: it forbids commercial use. A pull needs a flag of its own then. */
  use: z.enum(["any", "non_commercial"]),
});
export type License = z.infer<typeof License>;

const common = {
  name: z.string().min(1),
  title: z.string().min(1),
  /** The side of its square input images. */
  input_px: Positive,
  /** Tensors of the .onnx file. The one input takes RGB images: uint8 [N, input_px, input_px, 3]. */
  tensors: z.strictObject({ inputs: z.array(Tensor).length(1), outputs: z.array(Tensor).min(1) }),
  /** Sizes that batches are padded to, so that an engine sees few shapes and can be warmed for each. */
  batch_buckets: z
    .array(Positive)
    .min(1)
    .refine((sizes) => sizes[0] === 1 && ascend(sizes), { error: "must ascend, from 1" }),
  builds: z.array(Build).min(1),
  /** The ranges that int8 builds were made with, from a file of its own. */
  calibration: Calibration.optional(),
  source: Source,
  licenses: z.array(License).min(1),
  /** The training data, as far as it is stated. Starts with "Not stated" if nobody states it. */
  training_data: z.string().min(1),
  /** Other facts about the model, one sentence each. No legal advice. */
  provenance: z.array(z.string().min(1)).min(1),
};

export const Detector = z.strictObject({
  ...common,
  role: z.literal("detector"),
  /**
   * Names of its outputs: rows of [top, left, bottom, right] in the unit square of the input, and one score
   * from 0 to 1 for each row.
   */
  outputs: z.strictObject({ boxes: TensorName, scores: TensorName }),
  /**
   * Non-max suppression: a box is a face above this score, and the same face as a better box above this
   * IoU.
   */
  selection: z.strictObject({ score_min: z.number().min(0).max(1), iou_max: z.number().min(0).max(1) }),
  /**
   * How many times wider and higher than its box the part of the image is in which landmarks are searched
   * first, for detectors that draw boxes closely around the features (measured). 1 by default.
   */
  landmark_box_scale: z.number().min(1).max(2).optional(),
  /**
   * The narrowest face, as a share of the image's longer side, of which at least 20 of 25 photographs give
   * the right one (`npm run bench -- --only detection`).
   */
  found_width_share: z.number().min(0).max(1).optional(),
  /**
   * Input sides of a cascade, which are searched one after the other until the image is clear: a score
   * less than `below` is surely no face, one of `from` or more surely one. The last side is the model's
   * own. Without a cascade, only the model's own side is searched. `missed_width_share`: beside a clear
   * face, a first side may miss faces that are narrower than this share of the image's longer side
   * (measured).
   */
  cascade: z
    .strictObject({
      input_px: z.array(Positive).min(2).refine(ascend, { error: "must ascend" }),
      clear: z.strictObject({ below: z.number().min(0).max(1), from: z.number().min(0).max(1) }),
      missed_width_share: z.number().min(0).max(1),
    })
    .optional(),
});

const Landmarks = z.strictObject({
  ...common,
  role: z.literal("landmarks"),
  scheme: LandmarkScheme,
  /** Name of its output: x, y of each landmark, in the unit square of the input. */
  outputs: z.strictObject({ points: TensorName }),
});

const Distances = z.array(z.number().nonnegative()).max(10_000);

/** Distances in ascending order. */
const LabelledDistances = z.strictObject({ same: Distances, different: Distances });

const LabelledPairs = z.strictObject({
  /** The set, and what was run. */
  source: z.string().min(1),
  cosine: LabelledDistances,
  euclidean: LabelledDistances,
});

/** A distance that is not greater means the same person. */
export const Thresholds = z.strictObject({
  cosine: z.number().positive().max(2),
  euclidean: z.number().positive(),
  euclidean_l2: z.number().positive().max(2),
} satisfies Record<DistanceMetric, z.ZodType>);

/** The pairs that an operator's thresholds were measured on. */
export const ThresholdsCalibration = z.strictObject({
  calibrated_at: z.iso.datetime(),
  /** 0 to 1; the false match rate is at most this, with a confidence of 95%. */
  fmr_wanted: z.number().positive().max(1),
  /** Pairs with a face in both images. */
  pairs_same: Positive,
  pairs_different: Positive,
  people: Positive,
  detector: z.string().min(1),
});

/** Embeddings of the two faces in golden.ts. Verification and every start compare with them. */
const Golden = z.strictObject({
  cosine_distance_max: z.number().positive(),
  embeddings: z.array(z.array(z.number())).length(2),
});
export type Golden = z.infer<typeof Golden>;

const Embedding = z.strictObject({
  ...common,
  role: z.literal("embedding"),
  /** Name of its output: one embedding for each face. */
  outputs: z.strictObject({ embedding: TensorName }),
  /** Name of the landmark model whose scheme aligns the faces for this model. */
  landmarks: z.string().min(1),
  /**
   * Map from the model's chip to the chip that the landmarks are fitted to (`chipPx` of the template in
   * inference/src/align/templates.ts): x' = a x - c y + e and y' = c x + a y + f, from pixels to pixels.
   * Without it, both chips show the same square.
   */
  chip: z.strictObject({ a: z.number(), c: z.number(), e: z.number(), f: z.number() }).optional(),
  embedding_size: Positive,
  /**
   * Lengths (L2 norms) of its embeddings, measured, with some margin. 1 by default, which the graphs of most
   * models end with.
   */
  embedding_norm: z
    .strictObject({ min: z.number().positive(), max: z.number().positive() })
    .refine(({ min, max }) => min <= max, { error: "must not end below its start" })
    .optional(),
  thresholds: Thresholds,
  /** The data behind each threshold. */
  thresholds_from: z.strictObject({
    cosine: z.string().min(1),
    euclidean: z.string().min(1),
    euclidean_l2: z.string().min(1),
  }),
  /** Only if thresholds of this installation replace those of the entry: see local-thresholds.ts. */
  thresholds_calibration: ThresholdsCalibration.optional(),
  /** Distances of different people, if too many to list; by default those of `labelled_pairs`. */
  false_match_curves: FalseMatchCurves.optional(),
  /** Distances of labelled pairs of images with this model, by which the thresholds can be judged. */
  labelled_pairs: LabelledPairs.optional(),
  /** Output of a model that an operator added, at the time. */
  golden: Golden.optional(),
  /** Names that a caller may use. All mean the one preprocessing that the graph contains. */
  normalizations: z.array(z.string().min(1)).min(1),
});

/** Only the fields: entries are read by `CheckedModel` of entry-rules.ts. */
export const ModelFields = z.discriminatedUnion("role", [Detector, Landmarks, Embedding]);
export type Model = z.infer<typeof ModelFields>;
export type Role = Model["role"];
export type ModelOf<R extends Role> = Extract<Model, { role: R }>;
type Sided = { input_px: number; cascade?: { input_px: readonly number[] } | undefined };
export type DetectorModel = ModelOf<"detector">;
export type EmbeddingModel = ModelOf<"embedding">;

/**
 * The threshold of euclidean_l2 that is equivalent to a cosine threshold: for vectors of length 1, d = sqrt(2
 * * cosine).
 */
export function euclideanL2Of(cosine: number): number {
  return Number(Math.sqrt(2 * cosine).toFixed(4));
}

export const embeddingNorm = ({ embedding_norm }: Pick<EmbeddingModel, "embedding_norm">) =>
  embedding_norm ?? { min: 1, max: 1 };

/** The largest distance that two embeddings of a model can have: that of opposite ones. */
export const distancesMax = (model: Pick<EmbeddingModel, "embedding_norm">) =>
  ({
    cosine: 2,
    euclidean: 2 * embeddingNorm(model).max,
    euclidean_l2: 2,
  }) satisfies Record<DistanceMetric, number>;

/**
 * The input sides of a model, ascending: those of its cascade, of which the last is its own, or only its own.
 */
export function inputSides(model: Sided): readonly number[] {
  return model.cascade?.input_px ?? [model.input_px];
}

function ascend(sizes: readonly number[]): boolean {
  return sizes.every((size, i) => i === 0 || size > sizes[i - 1]!);
}
