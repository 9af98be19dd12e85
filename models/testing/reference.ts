import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Batch, openTensorFlow, type ReferenceNetwork, type TensorLike } from "./tensorflow.ts";

/**
 * The networks as face-api itself runs them, on tfjs (its wasm backend). Only the conformance test uses
 * this: it is what our graphs must agree with.
 */
export async function openReference(): Promise<Record<string, ReferenceNetwork>> {
  const require = createRequire(import.meta.url);
  const tf = await openTensorFlow();
  const { nets, NetInput }: FaceApi = require("@vladmandic/face-api/dist/face-api.node-wasm.js");

  const weights = join(dirname(require.resolve("@vladmandic/face-api/package.json")), "model");
  const { ssdMobilenetv1, faceLandmark68Net, faceRecognitionNet } = nets;
  for (const net of [ssdMobilenetv1, faceLandmark68Net, faceRecognitionNet]) {
    await net.loadFromDisk(weights);
  }

  const inputOf = ({ px, images }: Batch): unknown =>
    new NetInput(images.map((image) => tf.tensor3d(image, [px, px, 3], "int32")));

  return {
    ssd: async (batch) => {
      const { boxes, scores } = ssdMobilenetv1.forwardInput(inputOf(batch));
      return { boxes: joined(boxes), scores: joined(scores) };
    },
    "landmarks-68": async (batch) => ({ points: faceLandmark68Net.forwardInput(inputOf(batch)).dataSync() }),
    Dlib: async (batch) => ({ embedding: faceRecognitionNet.forwardInput(inputOf(batch)).dataSync() }),
  };
}

function joined(parts: readonly TensorLike[]): Float32Array {
  return Float32Array.from(parts.flatMap((part) => [...part.dataSync()]));
}

// What we use of face-api, which has types for far more than that (and needs the browser's).
type Net<Output> = {
  loadFromDisk(folder: string): Promise<void>;
  forwardInput(input: unknown, px?: number): Output;
};
type FaceApi = {
  NetInput: new (tensors: readonly unknown[]) => unknown;
  nets: {
    ssdMobilenetv1: Net<{ boxes: TensorLike[]; scores: TensorLike[] }>;
    faceLandmark68Net: Net<TensorLike>;
    faceRecognitionNet: Net<TensorLike>;
  };
};
