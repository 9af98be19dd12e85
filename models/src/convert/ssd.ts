import type { Graph } from "../onnx/graph.ts";
import { type Anchors, type Head, scaledHead, sizedAnchors, writeDetections } from "./boxes.ts";
import { chooseChannels, foldBatchNorm, scaleChannels } from "./fold.ts";
import { FloatLayers } from "./layers/float.ts";
import type { Layers, Maps } from "./layers/layers.ts";
import type { Weights, WeightTensor } from "./weights.ts";

/**
 * SSD MobileNet v1 for faces.
 *
 *     image uint8 [N, px, px, 3]  ─►  boxes [N, anchors, 4], scores [N, anchors] in 0..1
 *
 * 5118 anchors for the 512 pixels that it was trained with. It is convolutional, so any other side will do.
 *
 * The input is the image in the top left corner of a black square. Every anchor gives a box: the caller
 * applies its score threshold and non-max suppression.
 *
 * The network, its constants and its order of anchors are face-api's (src/ssdMobilenetv1 of
 * @vladmandic/face-api), which are those of the TensorFlow object detection API.
 */
export function writeSsd<M extends Maps>(
  graph: Graph,
  layers: Layers<M>,
  weights: Weights,
  px: number,
): void {
  const x = layers.image(px, { mean: [127.5, 127.5, 127.5], factor: 1 / 127.5 });
  const levels = featureLevels(layers, weights, x).map((maps) => layers.floats(maps));
  const sides = levels.map((maps) => maps.px);
  writeDetections(graph, new FloatLayers(graph), {
    levels,
    anchors: anchorsOf(weights.get("Output/extra_dim"), sides, px),
    boxHead: (level) =>
      scaledHead(weights, `Prediction/BoxPredictor_${level}/BoxEncodingPredictor`, encodingScale),
    scoreHead: (level) => faceHead(weights, `Prediction/BoxPredictor_${level}/ClassPredictor`),
  });
}

/** Shapes and preprocessing of the TensorFlow graph, which face-api ignores as well. */
export const ssdUnusedWeights =
  /^(Preprocessor|Postprocessor|concat_1)\/|^Prediction\/BoxPredictor_\d\/(stack|strided_slice)/;

/** The input side of the training, and the sides of the feature maps at that input. */
const trainedPx = 512;
const trainedLevels = [32, 16, 8, 4, 2, 1];
/** Anchors of each cell, by level. */
const anchorsPerCell = [3, 6, 6, 6, 6, 6];
/** The depthwise layers that halve the map. */
const strideTwoLayers = new Set([2, 4, 6, 12]);
/**
 * TensorFlow's 0.001 in float32. Dead channels have variances of 4e-36, and would divide by zero without it.
 */
const epsilon = 0.0010000000474974513;
/**
 * Encodings are stored times ten (centre) and times five (size): the weights of the head are divided by that.
 */
const encodingScale = [1 / 10, 1 / 10, 1 / 5, 1 / 5];
/** Logits of an anchor: background, face, and one that was never trained. */
const classes = 3;
const faceClass = 1;

/** The feature maps of the heads: 32, 16, 8, 4, 2 and 1 cells wide for an image of 512 pixels. */
function featureLevels<M extends Maps>(layers: Layers<M>, weights: Weights, image: M): M[] {
  const levels: M[] = [];
  let x = pointwise(layers, weights, "MobilenetV1/Conv2d_0_pointwise", image, 2);
  for (let layer = 1; layer <= 13; layer++) {
    x = separable(layers, weights, layer, x);
    if (layer === 11 || layer === 13) levels.push(x);
  }
  for (let layer = 0; layer < 8; layer++) {
    const narrows = layer % 2 === 1;
    x = pointwise(layers, weights, `Prediction/Conv2d_${layer}_pointwise`, x, narrows ? 2 : 1);
    if (narrows) levels.push(x);
  }
  return levels;
}

function separable<M extends Maps>(layers: Layers<M>, weights: Weights, layer: number, x: M): M {
  const name = `MobilenetV1/Conv2d_${layer}_depthwise`;
  const { factors, bias } = foldBatchNorm({
    gamma: weights.get(`${name}/BatchNorm/gamma`).data,
    beta: weights.get(`${name}/BatchNorm/beta`).data,
    mean: weights.get(`${name}/BatchNorm/moving_mean`).data,
    variance: weights.get(`${name}/BatchNorm/moving_variance`).data,
    epsilon,
  });
  const filter = scaleChannels(weights.get(`${name}/depthwise_weights`), factors);
  const stride = strideTwoLayers.has(layer) ? 2 : 1;
  const filtered = layers.relu6(layers.depthwise(name, x, { filter, bias, stride }));
  return pointwise(layers, weights, `MobilenetV1/Conv2d_${layer}_pointwise`, filtered, 1);
}

/** "Pointwise" is what the weights call every full convolution, the 3x3 ones too. */
function pointwise<M extends Maps>(
  layers: Layers<M>,
  weights: Weights,
  name: string,
  x: M,
  stride: number,
): M {
  const filter = weights.get(`${name}/weights`);
  const bias = weights.get(`${name}/convolution_bn_offset`).data;
  return layers.relu6(layers.convolution(name, x, { filter, bias, stride }));
}

/** The score is the sigmoid of the face logit alone, not a softmax: so the other two are not computed. */
function faceHead(weights: Weights, name: string): Head {
  const biases = weights.get(`${name}/biases`);
  const anchors = Array.from({ length: biases.data.length / classes }, (_, anchor) => anchor);
  const faces = anchors.map((anchor) => anchor * classes + faceClass);
  const filter = chooseChannels(weights.get(`${name}/weights`), faces);
  return { name, filter, bias: chooseChannels(biases, faces).data };
}

/**
 * The weights hold [ymin, xmin, ymax, xmax] of every anchor for images of 512 pixels, in the unit square,
 * level by level and cell by cell. For images of another side an anchor keeps its size in pixels, because
 * the filters were trained for that size.
 */
function anchorsOf({ data }: WeightTensor, levels: readonly number[], px: number): Anchors {
  const centres: number[] = [];
  const sizes: number[] = [];
  let first = 0;
  for (const [level, cells] of levels.entries()) {
    const each = anchorsPerCell[level]!;
    for (let cell = 0; cell < cells * cells; cell++) {
      for (let anchor = first; anchor < first + each; anchor++) {
        centres.push((Math.floor(cell / cells) + 0.5) / cells, ((cell % cells) + 0.5) / cells);
        for (const side of [0, 1]) {
          sizes.push(((data[4 * anchor + 2 + side]! - data[4 * anchor + side]!) * trainedPx) / px);
        }
      }
    }
    first += each * trainedLevels[level]! ** 2;
  }
  return sizedAnchors(centres, sizes);
}
