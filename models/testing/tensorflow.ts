import { createRequire } from "node:module";
import { dirname } from "node:path";

/** tfjs on its wasm backend. Only the conformance test uses it. */
export async function openTensorFlow(): Promise<TensorFlow> {
  const require = createRequire(import.meta.url);
  const tf: TensorFlow = require("@tensorflow/tfjs");
  const wasm: { setWasmPaths(folder: string): void } = require("@tensorflow/tfjs-backend-wasm");
  wasm.setWasmPaths(`${dirname(require.resolve("@tensorflow/tfjs-backend-wasm"))}/`);
  await tf.setBackend("wasm");
  return tf;
}

// What we use of tfjs, which has types for far more than that (and needs the browser's).
export type TensorLike = { dataSync(): Float32Array };
type TensorFlow = {
  setBackend(name: string): Promise<boolean>;
  tensor3d(data: Uint8Array, shape: readonly number[], type: "int32"): unknown;
  tensor4d(data: Uint8Array | Float32Array, shape: readonly number[], type: "int32" | "float32"): unknown;
  loadGraphModel(handler: { load(): Promise<object> }): Promise<GraphModel>;
};
/** `execute` takes inputs and returns outputs by the names of the graph's nodes. */
type GraphModel = { execute(inputs: Record<string, unknown>, outputs: readonly string[]): TensorLike[] };

/** Runs images through a network of the reference. Returns its outputs by the names that ours have. */
export type ReferenceNetwork = (batch: Batch) => Promise<Record<string, Float32Array>>;
/** Images of px by px pixels, RGB, three bytes a pixel. */
export type Batch = { px: number; images: readonly Uint8Array[] };
