import { withoutBlocks } from "../onnx/blocks.ts";
import { tensorsOf } from "../onnx/self-contained.ts";
import { numbersOf, readFloats } from "../onnx/tensor.ts";
import { Weights, type WeightTensor } from "./weights.ts";

/**
 * Reads the weights of an .onnx file that has them in blocks of eight bits. Filters get the order of
 * TensorFlow's: [height, width, in, out], and [height, width, channels, 1] where each output reads one
 * channel.
 */
export function readOnnxWeights(file: Uint8Array): Weights {
  const tensors = new Map<string, WeightTensor>();
  for (const tensor of tensorsOf(withoutBlocks(file))) {
    const floats = readFloats(tensor);
    // Weights in attributes have no name.
    if (!floats?.name) continue;
    const { name, shape } = floats;
    const data = numbersOf(floats);
    tensors.set(name, shape.length === 4 ? outputsLast(shape, data) : { shape, data });
  }
  return new Weights(tensors);
}

function outputsLast(
  [outputs = 0, inputs = 0, height = 0, width = 0]: readonly number[],
  data: Float32Array,
) {
  const area = height * width;
  const order = new Float32Array(data.length);
  for (let o = 0; o < outputs; o++) {
    for (let i = 0; i < inputs; i++) {
      for (let cell = 0; cell < area; cell++) {
        order[(cell * inputs + i) * outputs + o] = data[(o * inputs + i) * area + cell]!;
      }
    }
  }
  const shape = inputs === 1 ? [height, width, outputs, 1] : [height, width, inputs, outputs];
  return { shape, data: order };
}
