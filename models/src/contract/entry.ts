import { type EmbeddingModel, euclideanL2Of, type Golden } from "../catalogue-entry.ts";
import { sha256 } from "../model-file.ts";
import { adaptedInput, adaptedOutput } from "./adapter.ts";
import type { Contract } from "./contract.ts";
import type { Faster } from "./speed-up.ts";

/** The catalogue entry of an added recogniser. `onnx` is its file as it runs. */
export function entryOf(
  contract: Contract,
  { onnx, original, golden, report }: Faster & { original: Uint8Array },
): EmbeddingModel {
  const { name, title, input, output, licenses, training_data, provenance, origin } = contract;
  const digest = sha256(onnx);
  const unit = euclideanL2Of(contract.thresholds.cosine);
  return {
    name,
    role: "embedding",
    title,
    input_px: input.px,
    tensors: {
      inputs: [{ name: adaptedInput, type: "uint8", shape: ["N", input.px, input.px, 3] }],
      outputs: [{ name: adaptedOutput, type: "float32", shape: ["N", output.length] }],
    },
    outputs: { embedding: adaptedOutput },
    landmarks: "landmarks-68",
    ...(contract.chip === "arcface" && { chip: arcfaceChip(input.px) }),
    batch_buckets: [1, 2, 4],
    embedding_size: output.length,
    thresholds: { cosine: contract.thresholds.cosine, euclidean: unit, euclidean_l2: unit },
    thresholds_from: {
      cosine: contract.thresholds_from,
      euclidean: "Embeddings have length 1, so it equals that of euclidean_l2.",
      euclidean_l2: "Derived: sqrt(2 * cosine), which gives the same verdicts.",
    },
    normalizations: ["base"],
    builds: [
      {
        precision: "float32",
        input_px: input.px,
        file: `${folderName(name)}.float32.onnx`,
        bytes: onnx.length,
        sha256: digest,
      },
    ],
    source: { kind: "onnx_file", file: { path: adaptedFile, sha256: digest }, origin },
    licenses,
    training_data,
    provenance: [
      ...provenance,
      `Added by the operator of this installation; the file had the SHA-256 ${sha256(original)}. Its thresholds are not measured by Faceline.`,
      ...report,
    ],
    golden: {
      cosine_distance_max: goldenDistanceMax,
      embeddings: golden.map((embedding) => Array.from(embedding, (number) => Number(number.toFixed(6)))),
    } satisfies Golden,
  };
}

/** The folder of an added model, and the start of its file names. */
export const folderName = (name: string): string => name.toLowerCase();

/** File names in the folder of an added model. */
export const adaptedFile = "network.onnx";
export const licenceTextFile = "LICENCE";

/**
 * Engines round differently: between CPUs by less than 1e-6, on GPUs that multiply with 19 bits by up to
 * about 1e-4. Another network or other preprocessing deviates by more than 1e-2.
 */
const goldenDistanceMax = 1e-3;

/** Maps ArcFace's chip of this many pixels to dlib's of 150: as in the entry of MobileFaceNet, scaled. */
function arcfaceChip(px: number) {
  const scale = 112 / px;
  return { a: 1.44945 * scale, c: 0.0080456 * scale, e: -6.61597, f: -29.50592 };
}
