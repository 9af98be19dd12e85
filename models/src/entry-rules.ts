import {
  distancesMax,
  euclideanL2Of,
  inputSides,
  landmarkCounts,
  type Model,
  ModelFields,
  type Variant,
} from "./catalogue-entry.ts";

/** Relations between the fields of an entry, each reported at one of them. */
const rules: readonly Rule[] = [
  {
    path: ["cascade", "clear"],
    error: "must hold selection.score_min between below and from",
    isKept(model) {
      if (model.role !== "detector" || model.cascade === undefined) return true;
      const { below, from } = model.cascade.clear;
      return below <= model.selection.score_min && model.selection.score_min <= from;
    },
  },
  {
    path: ["scheme"],
    error: "must have as many points as the output, two numbers each",
    isKept(model) {
      if (model.role !== "landmarks") return true;
      const points = model.tensors.outputs.filter(({ name }) => name === model.outputs.points);
      return points.some(({ shape }) => shape[1] === landmarkCounts[model.scheme] && shape[2] === 2);
    },
  },
  {
    path: ["thresholds", "euclidean_l2"],
    error: "must be sqrt(2 * cosine), to four decimals",
    isKept: (model) =>
      model.role !== "embedding" || model.thresholds.euclidean_l2 === euclideanL2Of(model.thresholds.cosine),
  },
  {
    path: ["thresholds", "euclidean"],
    error: "must be at most twice the longest embedding (embedding_norm)",
    isKept: (model) =>
      model.role !== "embedding" || model.thresholds.euclidean <= distancesMax(model).euclidean,
  },
  {
    path: ["embedding_size"],
    error: "must be the width of an output",
    isKept: (model) =>
      model.role !== "embedding" ||
      model.tensors.outputs.some(({ shape }) => shape[1] === model.embedding_size),
  },
  {
    path: ["input_px"],
    error: "must be the side of the input tensor",
    isKept: ({ input_px, tensors }) => tensors.inputs.every(({ shape }) => shape[1] === input_px),
  },
  {
    path: ["outputs"],
    error: "must name tensors of tensors.outputs",
    isKept: ({ outputs, tensors }) =>
      Object.values(outputs).every((output) => tensors.outputs.some(({ name }) => name === output)),
  },
  {
    path: ["builds"],
    error: "must be one, the file of the source",
    isKept: ({ source, builds }) =>
      source.kind !== "onnx_file" || (builds.length === 1 && builds[0]!.sha256 === source.file.sha256),
  },
  {
    path: ["builds"],
    error: "must have one build per precision and side",
    isKept: ({ builds }) => new Set(builds.map(variantOf)).size === builds.length,
  },
  {
    path: ["builds"],
    error: "must exist for every side in every precision",
    isKept(model) {
      const built = new Set(model.builds.map(variantOf));
      const precisions = new Set(model.builds.map(({ precision }) => precision));
      const sides = inputSides(model);
      return [...precisions].every((precision) =>
        sides.every((input_px) => built.has(variantOf({ precision, input_px }))),
      );
    },
  },
  {
    path: ["cascade"],
    error: "must end with the model's own side",
    isKept: (model) => inputSides(model).at(-1) === model.input_px,
  },
];

/** The schema of an entry: its fields, and then the relations between them. */
export const CheckedModel = ModelFields.superRefine((model, { addIssue }) => {
  for (const { path, error, isKept } of rules) {
    if (!isKept(model)) addIssue({ code: "custom", path: [...path], message: error });
  }
});

const variantOf = ({ precision, input_px }: Variant): string => `${precision} ${input_px}`;

type Rule = { path: readonly string[]; error: string; isKept(model: Model): boolean };
