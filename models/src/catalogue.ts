import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";

/**
 * The models there are, and what is known of each: one `catalogue/<name>/model.json` a model. Fields are in
 * snake_case, because the API shows some of them as they are.
 *
 * Services import this file; it opens no model and needs no inference engine.
 */
export class Catalogue {
  readonly models: readonly Model[];

  constructor(models: readonly Model[]) {
    this.models = models;
  }

  /** Undefined: there is no such model, or it is there in another role. */
  find<R extends Role>(role: R, name: string): ModelOf<R> | undefined {
    return this.all(role).find((model) => model.name === name);
  }

  /** Sorted by name. */
  all<R extends Role>(role: R): ModelOf<R>[] {
    return this.models.filter((model): model is ModelOf<R> => model.role === role);
  }
}

/** Reads and checks every entry. Throws once, with a line for each mistake: file, field, what is wrong. */
export async function readCatalogue(folder: string = catalogueFolder): Promise<Catalogue> {
  const mistakes: string[] = [];
  const models: Model[] = [];
  const names = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  for (const { name } of names.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = `${name}/model.json`;
    const read = await readEntry(join(folder, name));
    if ("model" in read) models.push(read.model);
    else mistakes.push(...read.mistakes.map((mistake) => `  ${file}: ${mistake}`));
  }
  mistakes.push(
    ...twice(
      "the name",
      models.map((model) => model.name),
    ),
  );
  mistakes.push(
    ...twice(
      "the file",
      models.flatMap((model) => model.builds.map((build) => build.file)),
    ),
  );
  if (mistakes.length > 0) throw new Error(`the models' catalogue:\n${mistakes.join("\n")}`);
  return new Catalogue(models.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
}

/** One number each: a distance that is not greater means "the same person". */
export const metrics = ["cosine", "euclidean", "euclidean_l2"] as const;
export type Metric = (typeof metrics)[number];

/** The distance between vectors of length 1 follows from their cosine distance: both draw the same line. */
export function euclideanL2Of(cosine: number): number {
  return Number(Math.sqrt(2 * cosine).toFixed(4));
}

/** The sides of a model's pictures: its own, and before it the smaller ones of a cascade, ascending. */
export function sidesOf(model: Sided): readonly number[] {
  return model.cascade?.input_px ?? [model.input_px];
}

/** Every licence that a model comes under, as one SPDX expression. */
export function licenseOf({ licenses }: Model): string {
  return [...new Set(licenses.map(({ id }) => id))].join(" AND ");
}

export const catalogueFolder = join(import.meta.dirname, "../catalogue");
/** In the folder of a model. */
export const CALIBRATION = "calibration.json";

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits");
const Positive = z.int().positive();

const Tensor = z.strictObject({
  name: z.string().min(1),
  type: z.enum(["uint8", "float32"]),
  /** "N" is the size of the batch, whatever the caller makes it. */
  shape: z.tuple([z.literal("N")], Positive),
});

const Build = z.strictObject({
  precision: z.enum(["float32", "int8"]),
  /** The side of the square picture that this one takes. */
  input_px: Positive,
  /** In the models' folder. The name tells the builds of one model apart. */
  file: z.string().regex(/^[a-z0-9.-]+\.onnx$/, "must be a plain file name that ends in .onnx"),
  bytes: Positive,
  sha256: Sha256,
});
export type Build = z.infer<typeof Build>;
export type Precision = Build["precision"];
/** In which precision, and for pictures of which side. */
export type Variant = Pick<Build, "precision" | "input_px">;

/** The sizes of an int8 build's layers' numbers: measured, because a network does not tell them. */
const Calibration = z.strictObject({
  /** What they were measured on, as a sentence. */
  measured_on: z.string().min(1),
  /** How much further the ranges reach than what was measured. */
  headroom: z.number().min(1).max(2),
  ranges: z.record(
    z.string(),
    z.tuple([z.number(), z.number()]).refine(([least, most]) => least <= most, {
      error: "must begin before it ends",
    }),
  ),
});
export type Calibration = z.infer<typeof Calibration>;

const SourceFile = z.strictObject({ path: z.string().min(1), sha256: Sha256 });

const Source = z.strictObject({
  /** An npm package, at exactly this version. */
  package: z.string().min(1),
  version: z.string().min(1),
  manifest: SourceFile,
  /** In the order of the manifest's `paths`. */
  weights: z.array(SourceFile).min(1),
});
export type Source = z.infer<typeof Source>;

const License = z.strictObject({
  /** SPDX, or LicenseRef- where SPDX has no name for it. */
  id: z.string().min(1),
  covers: z.string().min(1),
  stated_by: z.string().min(1),
});

const common = {
  name: z.string().min(1),
  title: z.string().min(1),
  /** The side of the square picture that goes in. */
  input_px: Positive,
  tensors: z.strictObject({ inputs: z.array(Tensor).min(1), outputs: z.array(Tensor).min(1) }),
  /** The sizes that batches are padded to, so that an engine sees few shapes and can be warmed for each. */
  batch_buckets: z
    .array(Positive)
    .min(1)
    .refine((sizes) => sizes[0] === 1 && ascend(sizes), { error: "must ascend, from 1" }),
  builds: z.array(Build).min(1),
  /** What int8 builds were made with; it stands in a file of its own. */
  calibration: Calibration.optional(),
  source: Source,
  licenses: z.array(License).min(1),
  /** What is known of the training data and of the terms, a sentence each. Facts found, not legal advice. */
  provenance: z.array(z.string().min(1)).min(1),
};

const Detector = z
  .strictObject({
    ...common,
    role: z.literal("detector"),
    /** A box counts as a face from this score on, and as the same face as a better one above this overlap. */
    selection: z.strictObject({ score_min: z.number().min(0).max(1), overlap_max: z.number().min(0).max(1) }),
    /**
     * Sides at which faces are looked for, one after the other until all is clear: what scores less than `below` is no face,
     * what scores `from` or more is one. The last is the model's own. Without: the model's own alone.
     */
    cascade: z
      .strictObject({
        input_px: z.array(Positive).min(2).refine(ascend, { error: "must ascend" }),
        clear: z.strictObject({ below: z.number().min(0).max(1), from: z.number().min(0).max(1) }),
      })
      .optional(),
  })
  .refine(
    ({ selection: { score_min }, cascade }) =>
      cascade === undefined || (cascade.clear.below <= score_min && score_min <= cascade.clear.from),
    { path: ["cascade", "clear"], error: "must hold selection.score_min between below and from" },
  );

const Landmarks = z.strictObject({ ...common, role: z.literal("landmarks") });

const Embedding = z
  .strictObject({
    ...common,
    role: z.literal("embedding"),
    embedding_size: Positive,
    thresholds: z.strictObject({
      cosine: z.number().positive().max(2),
      euclidean: z.number().positive(),
      euclidean_l2: z.number().positive().max(2),
    }),
    /** The data that each threshold comes from. */
    thresholds_from: z.strictObject({
      cosine: z.string().min(1),
      euclidean: z.string().min(1),
      euclidean_l2: z.string().min(1),
    }),
    /** Names that a caller may ask for; all of them mean the one preprocessing that the graph has built in. */
    normalizations: z.array(z.string().min(1)).min(1),
  })
  .refine(({ thresholds }) => thresholds.euclidean_l2 === euclideanL2Of(thresholds.cosine), {
    path: ["thresholds", "euclidean_l2"],
    error: "must be sqrt(2 * cosine), to four decimals",
  })
  .refine(({ embedding_size, tensors }) => tensors.outputs.some(({ shape }) => shape[1] === embedding_size), {
    path: ["embedding_size"],
    error: "must be the width of an output",
  });

const Model = z
  .discriminatedUnion("role", [Detector, Landmarks, Embedding])
  .refine(({ input_px, tensors }) => tensors.inputs.every(({ shape }) => shape[1] === input_px), {
    path: ["input_px"],
    error: "must be the side of the input tensor",
  })
  .refine(({ builds }) => new Set(builds.map(variantOf)).size === builds.length, {
    path: ["builds"],
    error: "must have one build per precision and side",
  })
  .refine(
    (model) => {
      const precisions = new Set(model.builds.map(({ precision }) => precision));
      const wanted = [...precisions].flatMap((precision) =>
        sidesOf(model).map((input_px) => variantOf({ precision, input_px })),
      );
      return wanted.every((variant) => model.builds.some((build) => variantOf(build) === variant));
    },
    { path: ["builds"], error: "must be there for every side in every precision" },
  )
  .refine((model) => sidesOf(model).at(-1) === model.input_px, {
    path: ["cascade"],
    error: "must end with the model's own side",
  });
export type Model = z.infer<typeof Model>;
export type Role = Model["role"];
export type ModelOf<R extends Role> = Extract<Model, { role: R }>;
type Sided = { input_px: number; cascade?: { input_px: readonly number[] } | undefined };
export type DetectorModel = ModelOf<"detector">;
export type EmbeddingModel = ModelOf<"embedding">;

async function readEntry(folder: string): Promise<{ model: Model } | { mistakes: string[] }> {
  let json: unknown;
  try {
    json = {
      ...JSON.parse(await readFile(join(folder, "model.json"), "utf8")),
      ...(await readCalibration(folder)),
    };
  } catch (error) {
    return { mistakes: [error instanceof Error ? error.message : String(error)] };
  }
  const parsed = Model.safeParse(json);
  if (parsed.success) return { model: parsed.data };
  const line = ({ path, message }: z.core.$ZodIssue): string =>
    [path.join("."), message].filter(Boolean).join(": ");
  return { mistakes: parsed.error.issues.map(line) };
}

async function readCalibration(folder: string): Promise<{ calibration?: unknown }> {
  const json = await readFile(join(folder, CALIBRATION), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (json === undefined) return {};
  try {
    return { calibration: JSON.parse(json) };
  } catch (cause) {
    throw new Error(`${CALIBRATION} is no JSON`, { cause });
  }
}

const variantOf = ({ precision, input_px }: { precision: string; input_px: number }): string =>
  `${precision} ${input_px}`;

function ascend(sizes: readonly number[]): boolean {
  return sizes.every((size, i) => i === 0 || size > sizes[i - 1]!);
}

function twice(what: string, values: readonly string[]): string[] {
  const repeated = new Set(values.filter((value, i) => values.indexOf(value) !== i));
  return [...repeated].map((value) => `  ${what} ${value} is there twice`);
}
