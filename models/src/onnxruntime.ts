// The only file that imports onnxruntime-node; lint refuses others. Imports are evaluated in their order.
import "./onnxruntime-telemetry.ts";

export { env, InferenceSession, type OnnxValue, Tensor } from "onnxruntime-node";
