import type { Graph } from "../onnx/graph.ts";
import { type Anchors, decodeBoxes, head, slicePair, writeScores } from "./boxes.ts";
import { chooseChannels } from "./fold.ts";
import type { FloatLayers } from "./layers/float.ts";
import type { Maps } from "./layers/layers.ts";
import type { Weights } from "./weights.ts";

/**
 * BlazeFace, the model for rear cameras.
 *
 *     image uint8 [N, 256, 256, 3]  ─►  boxes [N, 896, 4], scores [N, 896] in 0..1
 *
 * Bazarevsky et al. 2019, "BlazeFace: Sub-millisecond Neural Face Detection on Mobile GPUs" (arXiv
 * 1907.05047). The layers are those of Google's MediaPipe, as the graph of @vladmandic/human has them.
 * Each anchor also encodes six points of the face, which are left out: the landmark model finds more.
 */
export function writeBlazeface(graph: Graph, layers: FloatLayers, weights: Weights, px: number): void {
  const levels = featureLevels(layers, weights, layers.image(px, normalisation));
  const rows = graph.node(
    "encodings",
    "Concat",
    levels.map(({ maps, boxes }, level) =>
      head(graph, layers, `boxes_${level}`, maps, { ...boxTensors(tensorsOf(weights, boxes)), width: 4 }),
    ),
    { axis: 1 },
  );
  const anchors = anchorsOf(px);
  decodeBoxes(graph, {
    offsets: slicePair(graph, "encodings/offsets", rows, 0),
    sizes: slicePair(graph, "encodings/sizes", rows, 2),
    anchors,
  });

  const logits = levels.map(({ maps, scores }, level) =>
    head(graph, layers, `scores_${level}`, maps, { ...tensorsOf(weights, scores), width: 1 }),
  );
  writeScores(graph, logits, anchors.count);
}

/** The shapes that the source reshapes to, and the zeros that it pads channels with. */
export const blazefaceUnusedWeights = /^StatefulPartitionedCall\//;

const normalisation = { mean: [127.5, 127.5, 127.5], factor: 1 / 127.5 } as const;

/**
 * The weights have no names but `unknown`, `unknown_0` and so on, in the order of the layers. A block has
 * three of them: depthwise filter, and filter and bias of the convolution after it. One number between them
 * is free.
 */
const numbersPerBlock = 4;
const firstBlock = 1;
/** Blocks, counted from 1, that halve the map. */
const strideTwoBlocks = new Set([8, 16, 24]);
const blocks = 31;
/** Numbers of the filters after the blocks. The bias follows the filter. */
const lastBlock = 125;
const heads = {
  fine: { boxes: 131, scores: 135 },
  coarse: { boxes: 129, scores: 133 },
} as const;

/** The feature maps of the heads, 16 and 8 cells wide, and the numbers of their filters. */
function featureLevels(layers: FloatLayers, weights: Weights, image: Maps) {
  const first = { filter: weights.get("unknown"), bias: weights.get("unknown_0").data, stride: 2 };
  let x = layers.relu(layers.convolution("conv0", image, first));
  for (let block = 1; block <= blocks; block++) x = residual(layers, weights, block, x);
  const coarse = layers.relu(separable(layers, weights, "last", { x, number: lastBlock, stride: 2 }));
  return [
    { maps: x, ...heads.fine },
    { maps: coarse, ...heads.coarse },
  ];
}

/** relu(convolution(depthwise(x)) + x). If the map halves, x is pooled; if it gets channels, padded. */
function residual(layers: FloatLayers, weights: Weights, block: number, x: Maps): Maps {
  const name = `block${block}`;
  const stride = strideTwoBlocks.has(block) ? 2 : 1;
  const number = firstBlock + numbersPerBlock * (block - 1);
  const out = separable(layers, weights, name, { x, number, stride });
  const pool = { kernel: 2, stride, padding: "same" } as const;
  const pooled = stride === 1 ? x : layers.maxPool(`${name}/pool`, x, pool);
  const skipped = pooled.channels === out.channels ? pooled : layers.zeroPadded(pooled, out);
  return layers.relu(layers.add(`${name}/sum`, out, skipped));
}

function separable(
  layers: FloatLayers,
  weights: Weights,
  name: string,
  { x, number, stride }: { x: Maps; number: number; stride: number },
): Maps {
  const filter = weights.get(`unknown_${number}`);
  const filtered = layers.depthwise(`${name}/depthwise`, x, { filter, stride });
  return layers.convolution(name, filtered, tensorsOf(weights, number + 2));
}

function tensorsOf(weights: Weights, number: number) {
  return {
    filter: weights.get(`unknown_${number}`),
    bias: weights.get(`unknown_${number + 1}`).data,
  };
}

/** The channels of an anchor that encode its box. */
function boxTensors({ filter, bias }: ReturnType<typeof tensorsOf>) {
  const anchors = bias.length / channelsPerAnchor;
  const chosen = Array.from({ length: anchors }, (_, anchor) =>
    boxChannels.map((channel) => anchor * channelsPerAnchor + channel),
  ).flat();
  return {
    filter: chooseChannels(filter, chosen),
    bias: chooseChannels({ shape: [bias.length], data: bias }, chosen).data,
  };
}

/**
 * An anchor's 16 channels are x, y, width, height and six points. Boxes leave here as y, x, height, width.
 */
const channelsPerAnchor = 16;
const boxChannels = [1, 0, 3, 2];
/** Sides of a level's cells in pixels, and anchors of each cell. All of them lie in the middle of it. */
const anchorLevels = [
  { cellPx: 16, each: 2 },
  { cellPx: 32, each: 6 },
];

/** Offsets and sizes are encoded in pixels of the input. */
function anchorsOf(px: number): Anchors {
  const centres: number[] = [];
  for (const { cellPx, each } of anchorLevels) {
    const cells = px / cellPx;
    for (let cell = 0; cell < cells * cells; cell++) {
      const centre = [(Math.floor(cell / cells) + 0.5) / cells, ((cell % cells) + 0.5) / cells];
      for (let anchor = 0; anchor < each; anchor++) centres.push(...centre);
    }
  }
  const numbers = centres.length;
  return {
    count: numbers / 2,
    centres: Float32Array.from(centres),
    steps: new Float32Array(numbers).fill(1 / px),
    halves: new Float32Array(numbers).fill(0.5 / px),
  };
}
