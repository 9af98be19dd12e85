import type { Model } from "../src/catalogue-entry.ts";
import { modelsFolder } from "../src/model-file.ts";
import { readTfjsSource } from "../src/source.ts";
import { openTensorFlow, type ReferenceNetwork } from "./tensorflow.ts";

/**
 * The graphs of @vladmandic/human and human-models as tfjs runs them, for the conformance test, with the
 * little around them that is not in the graph.
 */

/** Runs the images through the graph of `faceboxes`, up to where it would suppress boxes. */
export async function openFaceboxes(model: Model): Promise<ReferenceNetwork> {
  const { tf, graph } = await openGraph(model);
  return perImage(async (image, px) => {
    const [boxes, scores] = graph.execute({ image_tensor: tf.tensor4d(image, [1, px, px, 3], "int32") }, [
      "postprocessing/decode_predictions/stack",
      "postprocessing/Softmax",
    ]);
    // Of each anchor's two numbers, the first is the background.
    return { boxes: [...boxes!.dataSync()], scores: everyNth(scores!.dataSync(), 2, 1) };
  });
}

/** Runs the images through the graph of `blazeface`, whose outputs are encoded boxes and logits. */
export async function openBlazeface(model: Model): Promise<ReferenceNetwork> {
  const { tf, graph } = await openGraph(model);
  return perImage(async (pixels, px) => {
    const image = tf.tensor4d(
      Float32Array.from(pixels, (value) => value / 127.5 - 1),
      [1, px, px, 3],
      "float32",
    );
    const outputs = graph.execute({ input: image }, ["Identity", "Identity_1", "Identity_2", "Identity_3"]);
    const [fineLogits, coarseLogits, fineBoxes, coarseBoxes] = outputs.map((each) => [...each.dataSync()]);
    const encoded = [...fineBoxes!, ...coarseBoxes!];
    // As MediaPipe's calculators decode: anchors are cell centres, everything else is in pixels of the input.
    const centres = [...anchorCentres(16, 2), ...anchorCentres(8, 6)];
    const boxes = centres.flatMap(([centreX, centreY], anchor) => {
      const [x = 0, y = 0, width = 0, height = 0] = encoded.slice(16 * anchor, 16 * anchor + 4);
      const [middleX, middleY] = [centreX + x / px, centreY + y / px];
      const [halfX, halfY] = [width / px / 2, height / px / 2];
      return [middleY - halfY, middleX - halfX, middleY + halfY, middleX + halfX];
    });
    const scores = [...fineLogits!, ...coarseLogits!].map((logit) => 1 / (1 + Math.exp(-logit)));
    return { boxes, scores };
  });
}

/** Opens a graph on tfjs. `change` may rewrite its nodes first. */
export async function openGraph(model: Model, change: (nodes: GraphNode[]) => void = () => {}) {
  const { source } = model;
  if (!("manifest" in source)) throw new Error(`${model.name} has no graph of TensorFlow.js`);
  const tf = await openTensorFlow();
  const { manifest, bytes } = await readTfjsSource(modelsFolder, model, source);
  const { modelTopology, weightsManifest, format, signature } = manifest as GraphModelFile;
  change(modelTopology.node);
  const graph = await tf.loadGraphModel({
    load: async () => ({
      modelTopology,
      format,
      signature,
      weightSpecs: weightsManifest.flatMap(({ weights }) => weights),
      weightData: new Uint8Array(bytes).buffer,
    }),
  });
  return { tf, graph };
}

/** One image at a time: the graphs have a batch of one. */
function perImage(
  run: (image: Uint8Array, px: number) => Promise<{ boxes: number[]; scores: number[] }>,
): ReferenceNetwork {
  return async ({ px, images }) => {
    const outputs: { boxes: number[]; scores: number[] }[] = [];
    for (const image of images) outputs.push(await run(image, px));
    return {
      boxes: Float32Array.from(outputs.flatMap(({ boxes }) => boxes)),
      scores: Float32Array.from(outputs.flatMap(({ scores }) => scores)),
    };
  };
}

/** x and y of each anchor, cell by cell. */
function anchorCentres(cells: number, each: number): [number, number][] {
  return Array.from({ length: cells * cells * each }, (_, anchor) => {
    const cell = Math.floor(anchor / each);
    return [((cell % cells) + 0.5) / cells, (Math.floor(cell / cells) + 0.5) / cells];
  });
}

function everyNth(values: Float32Array, step: number, first: number): number[] {
  return [...values].filter((_, i) => i % step === first);
}

export type GraphNode = { name: string; op: string; input: string[]; attr: Record<string, unknown> };

type GraphModelFile = {
  modelTopology: { node: GraphNode[] };
  format: string;
  signature: unknown;
  weightsManifest: readonly { weights: readonly unknown[] }[];
};
