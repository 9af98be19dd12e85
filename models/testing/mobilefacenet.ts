import type { Model } from "../src/catalogue-entry.ts";
import { type GraphNode, openGraph } from "./graph-models.ts";
import type { Batch } from "./tensorflow.ts";

/**
 * The graph that MobileFaceNet's weights are published with, as tfjs runs it, repaired as the author's code
 * has it. Tests compare the converted graph with it.
 *
 * The author's PReLU is relu(x) + slope * (x - |x|) / 2, and the published constants c are -slope / 2. So
 * relu(x) + c * (x - |x|) must become relu(x) - c * (x - |x|), and the ReLU that was fused into 16 depthwise
 * convolutions, of whose result `x - |x|` is 0, must follow them.
 */
export async function openMobileFaceNet(model: Model): Promise<TfjsMobileFaceNet> {
  const { tf, graph } = await openGraph(model, repair);
  return ({ px, images }, nodes) => {
    const numbers = images.flatMap((image) => Array.from(image, (value) => (value - 127.5) / 128));
    const input = tf.tensor4d(Float32Array.from(numbers), [images.length, px, px, 3], "float32");
    // Of one node it returns no array.
    return [graph.execute({ img_inputs: input }, nodes)].flat().map((output) => output.dataSync());
  };
}

/** The outputs of nodes of the graph, by their names. Maps are [N, height, width, channels]. */
type TfjsMobileFaceNet = (batch: Batch, nodes: readonly string[]) => Float32Array[];

function repair(nodes: GraphNode[]): void {
  const names = new Map(nodes.map((node) => [node.name, node]));
  for (const sum of nodes.filter(({ op }) => op === "Add")) {
    // The other sums are those of the blocks with their inputs.
    if (names.get(sum.input[1]!)!.op !== "Mul") continue;
    sum.op = "Sub";
    const positive = names.get(sum.input[0]!)!;
    if (positive.op === "Relu") continue;
    positive.attr["fused_ops"] = { list: { s: [biasAdd] } };
    const relu = { name: `${positive.name}/Relu`, op: "Relu", input: [positive.name], attr: sum.attr };
    nodes.push(relu);
    sum.input[0] = relu.name;
  }
}

/** Operator name in Base64, as the graph has it. */
const biasAdd = Buffer.from("BiasAdd").toString("base64");
