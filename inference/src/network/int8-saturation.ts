import { Graph } from "@faceline/models/onnx/graph";
import * as ort from "@faceline/models/onnxruntime";
import { openSession, type SessionSettings } from "./session.ts";

/**
 * Whether int8 sums of products saturate on this CPU.
 *
 * x64 CPUs with AVX2 or AVX-512 but without VNNI add two products in 16 bits (VPMADDUBSW) and saturate at
 * 32,767, where two of the largest products make 64,770. Landmarks are then off by half a face, and
 * embeddings by more than half of what tells two people apart. No picture shows it reliably, because only
 * large numbers side by side saturate. So this probe computes one convolution whose exact result is known.
 */
export async function saturatesInt8(settings: SessionSettings): Promise<boolean> {
  const session = await openSession(probeNetwork(), settings);
  try {
    const image = new ort.Tensor("uint8", new Uint8Array(channels).fill(255), [1, channels, 1, 1]);
    const { sums } = await session.run({ image });
    return (sums!.data as Float32Array).some((sum) => sum !== exactSum);
  } finally {
    await session.release();
  }
}

/** One convolution with as many channels as those of the networks, in which every number is the largest. */
function probeNetwork(): Uint8Array {
  const graph = new Graph("int8-saturation");
  graph.input("image", "uint8", ["N", channels, 1, 1]);
  const one = graph.floats("one", [], Float32Array.of(1));
  const zero = graph.integers("zero", [], Uint8Array.of(0));
  const filter = graph.integers("filter", [channels, channels, 1, 1], new Int8Array(channels ** 2).fill(127));
  const scales = graph.floats("filter/scales", [channels], new Float32Array(channels).fill(1));
  const zeros = graph.integers("filter/zeros", [channels], new Int8Array(channels));
  const scale = graph.floats("scale", [], Float32Array.of((255 * 127 * channels) / exactSum));
  const inputs = ["image", one, zero, filter, scales, zeros, scale, zero];
  graph.node("products", "QLinearConv", inputs, { kernel_shape: [1, 1] });
  graph.node("sums", "DequantizeLinear", ["products", one, zero]);
  graph.output("sums", "float32", ["N", channels, 1, 1]);
  return graph.encode({});
}

const channels = 64;
/** The sum in steps of its own quantisation. Saturated sums are about half of it. */
const exactSum = 200;
