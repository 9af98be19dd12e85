import { Graph } from "@faceline/models/convert/onnx/graph";
import * as ort from "@faceline/models/onnxruntime";
import { openSession, type SessionSettings } from "./provider.ts";

/**
 * Whether sums of products are clipped here when they are computed in eight bits.
 *
 * x64 CPUs with AVX2 or AVX-512 but without VNNI add two products in 16 bits, and stop at 32,767 where two of the largest
 * make 64,770: landmarks are then off by half a face, and people by more than half of what tells them apart. No picture
 * shows it surely, for only large numbers side by side are clipped; so one sum is computed whose right result is known.
 */
export async function clipsSums(settings: SessionSettings): Promise<boolean> {
  const session = await openSession(encodeSums(), settings);
  try {
    const image = new ort.Tensor("uint8", new Uint8Array(CHANNELS).fill(255), [1, CHANNELS, 1, 1]);
    const { sums } = await session.run({ image });
    return (sums!.data as Float32Array).some((sum) => sum !== RIGHT);
  } finally {
    await session.release();
  }
}

/** One convolution, of as many channels as those of the networks, in which every number is the largest. */
function encodeSums(): Uint8Array {
  const graph = new Graph("sums");
  graph.input("image", "uint8", ["N", CHANNELS, 1, 1]);
  const one = graph.floats("one", [], Float32Array.of(1));
  const zero = graph.integers("zero", [], Uint8Array.of(0));
  const filter = graph.integers("filter", [CHANNELS, CHANNELS, 1, 1], new Int8Array(CHANNELS ** 2).fill(127));
  const scales = graph.floats("filter/scales", [CHANNELS], new Float32Array(CHANNELS).fill(1));
  const zeros = graph.integers("filter/zeros", [CHANNELS], new Int8Array(CHANNELS));
  const scale = graph.floats("scale", [], Float32Array.of((255 * 127 * CHANNELS) / RIGHT));
  const inputs = ["image", one, zero, filter, scales, zeros, scale, zero];
  graph.node("products", "QLinearConv", inputs, { kernel_shape: [1, 1] });
  graph.node("sums", "DequantizeLinear", ["products", one, zero]);
  graph.output("sums", "float32", ["N", CHANNELS, 1, 1]);
  return graph.encode({});
}

const CHANNELS = 64;
/** What the sum is in steps of its own quantisation; clipped ones are about half of it. */
const RIGHT = 200;
