import type { DetectorModel } from "../catalogue-entry.ts";
import { sha256 } from "../model-file.ts";
import { adaptedInput } from "./adapter.ts";
import { adaptedBoxes, adaptedScores } from "./detector-adapter.ts";
import { type DetectorContract, rowsOf } from "./detector-contract.ts";
import { adaptedFile, folderName } from "./entry.ts";

/** The catalogue entry of an added detector. `onnx` is its adapted file. */
export function detectorEntryOf(
  contract: DetectorContract,
  { onnx, original }: { onnx: Uint8Array; original: Uint8Array },
): DetectorModel {
  const { name, title, input, licenses, training_data, provenance, origin } = contract;
  const { px } = input;
  const count = rowsOf(contract).reduce((sum, rows) => sum + rows, 0);
  const digest = sha256(onnx);
  const file = `${folderName(name)}.float32.onnx`;
  return {
    name,
    role: "detector",
    title,
    input_px: px,
    tensors: {
      inputs: [{ name: adaptedInput, type: "uint8", shape: ["N", px, px, 3] }],
      outputs: [
        { name: adaptedBoxes, type: "float32", shape: ["N", count, 4] },
        { name: adaptedScores, type: "float32", shape: ["N", count] },
      ],
    },
    outputs: { boxes: adaptedBoxes, scores: adaptedScores },
    batch_buckets: [1, 2, 4],
    selection: contract.selection,
    ...(contract.landmark_box_scale !== undefined && { landmark_box_scale: contract.landmark_box_scale }),
    builds: [{ precision: "float32", input_px: px, file, bytes: onnx.length, sha256: digest }],
    source: { kind: "onnx_file", file: { path: adaptedFile, sha256: digest }, origin },
    licenses,
    training_data,
    provenance: [
      ...provenance,
      `Added by the operator of this installation; the file had the SHA-256 ${sha256(original)}.`,
    ],
  };
}
