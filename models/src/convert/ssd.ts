import { type Anchors, decodeBoxes, head, takePair } from "./boxes.ts";
import { chooseChannels, foldBatchNorm, scaleChannels } from "./fold.ts";
import { convolution, depthwise, image, type Maps } from "./layers.ts";
import { Graph } from "./onnx/graph.ts";
import type { Tensor, Weights } from "./weights.ts";

/**
 * SSD MobileNet v1 for faces.
 *
 *     image uint8 [N, 512, 512, 3]  ─►  boxes [N, 5118, 4], scores [N, 5118] in 0..1
 *
 * The input is the picture in the top left corner of a black square. Every anchor answers: the caller keeps
 * the scores above its threshold, and of boxes that overlap the best.
 *
 * The network, its constants and its order of anchors are face-api's (src/ssdMobilenetv1 of
 * @vladmandic/face-api), which are those of the TensorFlow object detection API.
 */
export function convertSsd(weights: Weights): Graph {
  const graph = new Graph("ssd");
  graph.floats("zero", [], Float32Array.of(0));
  graph.floats("six", [], Float32Array.of(6));

  const x = image(graph, INPUT_PX, { mean: [127.5, 127.5, 127.5], factor: 1 / 127.5 });
  const levels = featureLevels(graph, weights, x);
  const encodings: string[] = [];
  const logits: string[] = [];
  for (const [level, maps] of levels.entries()) {
    encodings.push(boxHead(graph, weights, level, maps));
    logits.push(scoreHead(graph, weights, level, maps));
  }

  const rows = graph.node("encodings", "Concat", encodings, { axis: 1 });
  decodeBoxes(graph, {
    offsets: takePair(graph, "encodings/offsets", rows, 0),
    logSizes: takePair(graph, "encodings/sizes", rows, 2),
    anchors: anchorsOf(weights.get("Output/extra_dim")),
  });

  graph.node("logits", "Concat", logits, { axis: 1 });
  graph.node("scores", "Sigmoid", ["logits"]);
  graph.output("scores", "float32", ["N", ANCHORS]);
  return graph;
}

/** Leftovers of the TensorFlow graph among the weights: shapes and preprocessing that face-api ignores as well. */
export const ssdLeftovers =
  /^(Preprocessor|Postprocessor|concat_1)\/|^Prediction\/BoxPredictor_\d\/(stack|strided_slice)/;

const INPUT_PX = 512;
const ANCHORS = 5118;
/** The depthwise layers that halve the map. */
const STRIDE_TWO = new Set([2, 4, 6, 12]);
/** That of TensorFlow's 0.001 in float32. Some variances are 4e-36, dead channels: without it they would divide by zero. */
const EPSILON = 0.0010000000474974513;
/** Encodings are stored ten times (centre) and five times (size) as large as they mean; the head's weights are divided instead. */
const ENCODING_SCALE = [1 / 10, 1 / 10, 1 / 5, 1 / 5];
/** Logits of an anchor: background, face, and one that was never trained. */
const CLASSES = 3;
const FACE = 1;

/** The maps that the heads look at: 32, 16, 8, 4, 2 and 1 cells wide. */
function featureLevels(graph: Graph, weights: Weights, picture: Maps): Maps[] {
  const levels: Maps[] = [];
  let x = pointwise(graph, weights, "MobilenetV1/Conv2d_0_pointwise", picture, 2);
  for (let layer = 1; layer <= 13; layer++) {
    x = separable(graph, weights, layer, x);
    if (layer === 11 || layer === 13) levels.push(x);
  }
  for (let layer = 0; layer < 8; layer++) {
    const narrows = layer % 2 === 1;
    x = pointwise(graph, weights, `Prediction/Conv2d_${layer}_pointwise`, x, narrows ? 2 : 1);
    if (narrows) levels.push(x);
  }
  return levels;
}

function separable(graph: Graph, weights: Weights, layer: number, x: Maps): Maps {
  const name = `MobilenetV1/Conv2d_${layer}_depthwise`;
  const { factors, bias } = foldBatchNorm({
    gamma: weights.get(`${name}/BatchNorm/gamma`).data,
    beta: weights.get(`${name}/BatchNorm/beta`).data,
    mean: weights.get(`${name}/BatchNorm/moving_mean`).data,
    variance: weights.get(`${name}/BatchNorm/moving_variance`).data,
    epsilon: EPSILON,
  });
  const filter = scaleChannels(weights.get(`${name}/depthwise_weights`), factors);
  const stride = STRIDE_TWO.has(layer) ? 2 : 1;
  const filtered = relu6(graph, depthwise(graph, name, x, { filter, bias, stride }));
  return pointwise(graph, weights, `MobilenetV1/Conv2d_${layer}_pointwise`, filtered, 1);
}

/** "Pointwise" is what the weights call every full convolution, the 3x3 ones too. */
function pointwise(graph: Graph, weights: Weights, name: string, x: Maps, stride: number): Maps {
  const filter = weights.get(`${name}/weights`);
  const bias = weights.get(`${name}/convolution_bn_offset`).data;
  return relu6(graph, convolution(graph, name, x, { filter, bias, stride }));
}

function relu6(graph: Graph, x: Maps): Maps {
  return { ...x, name: graph.node(`${x.name}/relu6`, "Clip", [x.name, "zero", "six"]) };
}

function boxHead(graph: Graph, weights: Weights, level: number, x: Maps): string {
  const name = `Prediction/BoxPredictor_${level}/BoxEncodingPredictor`;
  const bias = scaleChannels(weights.get(`${name}/biases`), ENCODING_SCALE).data;
  const filter = scaleChannels(weights.get(`${name}/weights`), ENCODING_SCALE);
  return head(graph, name, x, { filter, bias, width: 4 });
}

/** The score is the sigmoid of the face logit alone, not a softmax: so the other two are not computed. */
function scoreHead(graph: Graph, weights: Weights, level: number, x: Maps): string {
  const name = `Prediction/BoxPredictor_${level}/ClassPredictor`;
  const biases = weights.get(`${name}/biases`);
  const faces = Array.from({ length: biases.data.length / CLASSES }, (_, anchor) => anchor * CLASSES + FACE);
  const bias = chooseChannels(biases, faces).data;
  return head(graph, name, x, {
    filter: chooseChannels(weights.get(`${name}/weights`), faces),
    bias,
    width: 1,
  });
}

/** The weights hold [ymin, xmin, ymax, xmax] in the unit square, in the order of the levels. */
function anchorsOf({ data }: Tensor): Anchors {
  const anchors = {
    count: data.length / 4,
    centres: new Float32Array(data.length / 2),
    steps: new Float32Array(data.length / 2),
    halves: new Float32Array(data.length / 2),
  };
  for (let side = 0; side < data.length / 2; side++) {
    const at = 4 * (side >> 1) + (side & 1);
    const size = data[at + 2]! - data[at]!;
    anchors.steps[side] = size;
    anchors.halves[side] = size / 2;
    anchors.centres[side] = data[at]! + size / 2;
  }
  return anchors;
}
