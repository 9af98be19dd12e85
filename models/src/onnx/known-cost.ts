import { readFields } from "./reader.ts";
import { printable, RefusedNetwork } from "./self-contained.ts";

/**
 * Refuses a foreign network whose work may depend on what an image shows: one that loops, branches, uses
 * random numbers or takes a size from its pixels. It could work on usual faces and hang, or take all memory,
 * on one image. Otherwise the sizes of all tensors follow from the number of images, and one run shows time
 * and memory. For a file that `requireSelfContained` has passed. Throws RefusedNetwork, one sentence.
 *
 * Only listed operators pass. Inputs that say a size may come from constants and from `Shape` alone, through
 * any operators.
 */
export function requireKnownCost(onnx: Uint8Array): void {
  const model = [...readFields(onnx)];
  if (model.some(({ field }) => field === modelFunction)) {
    throw new RefusedNetwork("It has functions of its own: export it with its functions inlined.");
  }
  const graph = [
    ...readFields((model.find(({ field }) => field === modelGraph)?.value ?? none) as Uint8Array),
  ];
  /** Values that are the same for all images. An input that is left out has no name. */
  const fixed = new Set([""]);
  for (const { field, value } of graph) {
    if (field === graphInitializer) fixed.add(textsOf(value, tensorName)[0] ?? "");
  }
  // Nodes come after those that they read.
  for (const { field, value } of graph) {
    if (field !== graphNode) continue;
    const [inputs, outputs] = [textsOf(value, nodeInput), textsOf(value, nodeOutput)];
    const [operator = "", domain = ""] = [textsOf(value, nodeOperator)[0], textsOf(value, nodeDomain)[0]];
    const node = `Its node ${printable(textsOf(value, nodeName)[0] || outputs[0])}`;
    const sizes = sizeInputs.get(operator) ?? [];
    // requireSelfContained has a list of these.
    const isListed = domain === "com.microsoft" || plainOperators.has(operator) || sizeInputs.has(operator);
    if (!isListed || domain === "ai.onnx.ml") {
      throw new RefusedNetwork(
        `${node} is the operator ${printable(operator)}, whose work or result may depend on more than sizes: ` +
          `${advice}, without control flow, random numbers and the selection of boxes.`,
      );
    }
    const fromImage = sizes.find((at) => !fixed.has(inputs[at] ?? ""));
    if (fromImage !== undefined) {
      throw new RefusedNetwork(
        `${node} (${printable(operator)}) takes a size from ${printable(inputs[fromImage])}, which may depend ` +
          `on what an image shows: sizes must come from constants and from Shape. So ${advice}.`,
      );
    }
    const isFixed = operator === "Shape" || operator === "Size" || inputs.every((name) => fixed.has(name));
    if (isFixed) for (const name of outputs) fixed.add(name);
  }
}

function textsOf(message: unknown, number: number): string[] {
  const fields = [...readFields(message as Uint8Array)].filter(({ field }) => field === number);
  return fields.map(({ value }) => Buffer.from(value as Uint8Array).toString("latin1"));
}

const words = (text: string): string[] => text.trim().split(/\s+/);

const advice = "export it with constant folding and fixed sizes";

/** Operators whose time and memory follow from the sizes of their inputs. */
const plainOperators = new Set(
  words(`
  Abs Acos Acosh Add And ArgMax ArgMin Asin Asinh Atan Atanh Attention AveragePool BatchNormalization BitShift
  BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Cast CastLike Ceil Celu Clip Col2Im Concat Constant Conv ConvInteger
  ConvTranspose Cos Cosh DeformConv DepthToSpace DequantizeLinear Det Div DynamicQuantizeLinear Einsum Elu Equal
  Erf Exp EyeLike Flatten Floor Gather GatherElements GatherND Gelu Gemm GlobalAveragePool GlobalLpPool
  GlobalMaxPool Greater GreaterOrEqual GridSample GroupNormalization HardSigmoid HardSwish Hardmax Identity
  InstanceNormalization IsInf IsNaN LRN LayerNormalization LeakyRelu Less LessOrEqual Log LogSoftmax
  LpNormalization LpPool MatMul MatMulInteger Max MaxPool Mean MeanVarianceNormalization Min Mish Mod Mul Neg Not
  Or PRelu Pow QLinearConv QLinearMatMul QuantizeLinear RMSNormalization Reciprocal Relu RotaryEmbedding Round
  ScatterElements ScatterND Selu Shape Shrink Sigmoid Sign Sin Sinh Size Softmax Softplus Softsign SpaceToDepth
  Sqrt Sub Sum Swish Tan Tanh ThresholdedRelu Transpose Trilu Where Xor`),
);

/** The same, with the inputs that say the sizes of the outputs, axes included. */
const sizeInputs = new Map<string, readonly number[]>([
  ...words("Expand OneHot Reshape Split Squeeze TopK Unsqueeze Upsample CumSum").map(
    (each) => [each, [1]] as const,
  ),
  ...words("L1 L2 LogSum LogSumExp Max Mean Min Prod Sum SumSquare").map(
    (each) => [`Reduce${each}`, [1]] as const,
  ),
  ["ConstantOfShape", [0]],
  ["Dropout", [1, 2]],
  ["MaxUnpool", [2]],
  ["Pad", [1, 3]],
  ["Resize", [1, 2, 3]],
  ["Slice", [1, 2, 3, 4]],
  ["Tile", [1, 2]],
]);

const none = new Uint8Array();
const [modelGraph, modelFunction, graphNode, graphInitializer, tensorName] = [7, 25, 1, 5, 8];
const [nodeInput, nodeOutput, nodeName, nodeOperator, nodeDomain] = [1, 2, 3, 4, 7];
