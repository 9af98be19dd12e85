// The only file that imports onnxruntime-node; lint refuses others. Imports are evaluated in their order.
import "./onnxruntime-telemetry.ts";
import { InferenceSession } from "onnxruntime-node";
import { requireSelfContained } from "./onnx/self-contained.ts";

export { env, type OnnxValue, Tensor } from "onnxruntime-node";
export type { InferenceSession };

/**
 * Opens a session over the bytes of an .onnx file. There is no other way to open one, so that none runs a
 * file that self-contained.ts refuses. Rejects with RefusedNetwork, or with onnxruntime's reason.
 */
export async function createSession(
  onnx: Uint8Array,
  { extra, ...options }: InferenceSession.SessionOptions = {},
): Promise<InferenceSession> {
  requireSelfContained(onnx);
  const session = { ...(extra?.["session"] as object | undefined), ...withoutFiles };
  return InferenceSession.create(onnx, { ...options, extra: { ...extra, session } });
}

/** Folder in which onnxruntime looks for weights in other files, instead of the working folder. */
const withoutFiles = { model_external_initializers_file_folder_path: "/dev/null" };
