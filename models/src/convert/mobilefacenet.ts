import type { Graph } from "../onnx/graph.ts";
import type { FloatLayers } from "./layers/float.ts";
import type { Convolution, Maps } from "./layers/layers.ts";
import type { Weights } from "./weights.ts";

/**
 * MobileFaceNet: inverted residual blocks of depthwise convolutions.
 *
 *     image uint8 [N, 112, 112, 3]  ─►  embedding [N, 192], of length 1
 *
 * The image is a face chip by ArcFace's template.
 *
 * Layers are those of sirius-ai/MobileFaceNet_TF (nets/MobileFaceNet.py), where the weights come from. The
 * graph that they are published with has other ones, and tells nobody apart: it adds the negative side of
 * every PReLU with the wrong sign, and drops it after depthwise convolutions, where a ReLU was fused into
 * what the negative side is computed from. Its constants are -slope / 2.
 */
export function writeMobileFaceNet(graph: Graph, layers: FloatLayers, weights: Weights, px: number): void {
  const network = new MobileFaceNet(layers, weights);
  const image = layers.image(px, { mean: [127.5, 127.5, 127.5], factor: 1 / 128 });

  let x = network.activated("pointwise", `${body}/Conv2d_0`, image, { stride: 2 });
  x = network.activated("depthwise", `${body}/SeparableConv2d`, x);
  let narrow = network.linear("pointwise", `${body}/Conv`, x);
  for (const { name, blocks, stride } of stages) {
    for (let i = 0; i < blocks; i++) {
      const block = `${body}/${name}_InvResBlock_${i}`;
      narrow = network.block(block, narrow, i === 0 ? stride : 1);
    }
  }
  x = network.activated("pointwise", `${body}/Conv2d_7`, narrow);
  let head = network.linear("depthwise", `${logits}/SeparableConv2d`, x, { padding: "valid" });
  head = network.linear("pointwise", `${logits}/Conv`, head);
  head = network.linear("pointwise", `${logits}/LinearConv1x1`, head);

  const numbers = graph.node("numbers", "Flatten", [head.name], { axis: 1 });
  const length = graph.node("length", "ReduceL2", [numbers], { axes: [1], keepdims: 1 });
  const lengthMin = graph.floats("length/min", [1], Float32Array.of(Math.sqrt(squaresMin(weights))));
  graph.node("embedding", "Div", [numbers, graph.node("length/max", "Max", [length, lengthMin])]);
  graph.output("embedding", "float32", ["N", head.channels]);
}

/**
 * The slopes of a PReLU, by the name of the layer that it follows. In November 2026 all 33 had the CRC-32C of
 * the author's checkpoint (MobileFaceNet_TF, 10 August 2019: the keys that end in prelu_alphas).
 */
function slopesOf(weights: Weights, layer: string): number[] {
  return Array.from(weights.get(`${layer}/mul`).data, (halved) => -2 * halved);
}

/** Axes of a sum, which the converted graph has as an attribute. */
export const mobileFaceNetUnusedWeights = /^embeddings\/Sum\/reduction_indices$/;

const body = "MobileFaceNet/MobileFaceNet";
const logits = "MobileFaceNet/Logits";

/** Stages in order. Blocks after a stage's first one, and all of a stage of stride 1, add their input. */
const stages = [
  { name: "Conv2d_2", blocks: 5, stride: 2 },
  { name: "Conv2d_3", blocks: 1, stride: 2 },
  { name: "Conv2d_4", blocks: 6, stride: 1 },
  { name: "Conv2d_5", blocks: 1, stride: 2 },
  { name: "Conv2d_6", blocks: 2, stride: 1 },
];

/** Lower bound of the sum of squares, so that an embedding of zeros is not divided by zero. */
const squaresMin = (weights: Weights): number => weights.get("embeddings/Maximum/y").data[0]!;

class MobileFaceNet {
  readonly #layers: FloatLayers;
  readonly #weights: Weights;

  constructor(layers: FloatLayers, weights: Weights) {
    this.#layers = layers;
    this.#weights = weights;
  }

  block(name: string, x: Maps, stride: number): Maps {
    const wide = this.activated("pointwise", `${name}/Conv`, x);
    const filtered = this.activated("depthwise", `${name}/SeparableConv2d`, wide, { stride });
    const narrow = this.linear("pointwise", `${name}/Conv_1`, filtered);
    return stride === 1 ? this.#layers.add(`${name}/sum`, narrow, x) : narrow;
  }

  /** A convolution and its PReLU. */
  activated(kind: Kind, name: string, x: Maps, window: Window = {}): Maps {
    return this.linear(kind, name, x, { ...window, slopes: slopesOf(this.#weights, name) });
  }

  /** A convolution without a PReLU. */
  linear(kind: Kind, name: string, x: Maps, window: Window = {}): Maps {
    const own = kind === "pointwise" ? `${name}/Conv2D` : `${name}/depthwise`;
    const filter = this.#weights.get(`${own}_weights`);
    const layer = { filter, bias: this.#weights.get(`${own}_bn_offset`).data, ...window };
    return kind === "pointwise"
      ? this.#layers.convolution(name, x, layer)
      : this.#layers.depthwise(name, x, layer);
  }
}

type Kind = "pointwise" | "depthwise";
type Window = Pick<Convolution, "slopes" | "stride" | "padding">;
