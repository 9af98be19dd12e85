import { licenseOf, type Model, type Precision, type Variant } from "../catalogue.ts";
import { readSource } from "../source.ts";
import { writeDlib } from "./dlib.ts";
import { writeLandmarks } from "./landmarks.ts";
import { FloatLayers } from "./layers/float.ts";
import { Int8Layers, type RangeOf } from "./layers/int8.ts";
import type { Layers, Maps } from "./layers/layers.ts";
import { Graph } from "./onnx/graph.ts";
import { ssdLeftovers, writeSsd } from "./ssd.ts";
import { writeTiny } from "./tiny.ts";
import { readWeights, type Weights } from "./weights.ts";

/** Raised when the same weights begin to give other bytes; it stands in every file. */
export const CONVERTER = "faceline 2";

/** A model's .onnx file, from the weights that its catalogue entry names. The same bytes every time, anywhere. */
export async function convert(model: Model, variant: Variant): Promise<Uint8Array> {
  const graph = new Graph(model.name);
  await writeGraph(graph, model, variant, rangesOf(model));
  return graph.encode(metadataOf(model, variant));
}

/**
 * A network in float32 whose inner layers are outputs too: those of which an int8 build has to know the range. For
 * calibration; their names are those of the ranges.
 */
export async function convertObserved(
  model: Model,
  px: number,
): Promise<{ onnx: Uint8Array; layers: string[] }> {
  const asked = new Set<string>();
  await writeGraph(new Graph(model.name), model, { precision: "int8", input_px: px }, (layer) => {
    asked.add(layer);
    return [0, 1];
  });
  const graph = new Graph(model.name);
  const layers: string[] = [];
  const variant = { precision: "float32", input_px: px } as const;
  await writeGraph(graph, model, variant, rangesOf(model), ({ name, channels, px }) => {
    if (!asked.has(name)) return;
    layers.push(name);
    graph.output(name, "float32", ["N", channels, px, px]);
  });
  return { onnx: graph.encode(metadataOf(model, variant)), layers };
}

async function writeGraph(
  graph: Graph,
  model: Model,
  { precision, input_px: px }: Variant,
  rangeOf: RangeOf,
  observe?: (maps: Maps) => void,
): Promise<void> {
  const network = networks[model.name];
  const write = network?.[precision];
  if (network === undefined || write === undefined) {
    throw new Error(`no converter makes the model ${model.name} in ${precision}`);
  }
  const { manifest, bytes } = await readSource(model.source);
  const weights = readWeights(manifest, bytes);
  write({ graph, weights, px, rangeOf, observe });
  const forgotten = weights.unused().filter((name) => !network.leftovers?.test(name));
  if (forgotten.length > 0) throw new Error(`${model.name}: the graph leaves out ${forgotten.join(", ")}`);
}

/** By the name of the catalogue. `leftovers` are weights that the network has no use for. */
const networks: Readonly<Record<string, Network>> = {
  ssd: { ...inBoth(writeSsd), leftovers: ssdLeftovers },
  tiny: { float32: ({ graph, weights, px }) => writeTiny(graph, new FloatLayers(graph), weights, px) },
  "landmarks-68": inBoth(writeLandmarks),
  Dlib: inBoth(writeDlib),
};

type Network = Partial<Record<Precision, (task: Task) => void>> & { leftovers?: RegExp };

type Task = {
  graph: Graph;
  weights: Weights;
  px: number;
  rangeOf: RangeOf;
  observe: ((maps: Maps) => void) | undefined;
};

/** A network that is described once for both precisions. */
function inBoth(
  write: <M extends Maps>(graph: Graph, layers: Layers<M>, weights: Weights, px: number) => void,
): Record<Precision, (task: Task) => void> {
  return {
    float32: ({ graph, weights, px, observe }) => write(graph, new FloatLayers(graph, observe), weights, px),
    int8: ({ graph, weights, px, rangeOf }) => write(graph, new Int8Layers(graph, rangeOf), weights, px),
  };
}

function rangesOf({ name, calibration }: Model): RangeOf {
  return (layer) => {
    const range = calibration?.ranges[layer];
    if (range === undefined) throw new Error(`the calibration of ${name} has no range of ${layer}`);
    return range;
  };
}

/** So that a file which lies about alone still tells what it is, whence it came and on what terms. */
function metadataOf(model: Model, { precision, input_px }: Variant): Record<string, string> {
  const { name, role, source } = model;
  return {
    name,
    role,
    precision,
    input_px: `${input_px}`,
    source: `npm:${source.package}@${source.version}/${source.weights.map(({ path }) => path).join("+")}`,
    source_sha256: source.weights.map(({ sha256 }) => sha256).join("+"),
    license: licenseOf(model),
    converter: CONVERTER,
  };
}
