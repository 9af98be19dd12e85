import { licenseOf } from "../catalogue.ts";
import type { Model, Precision, Variant } from "../catalogue-entry.ts";
import type { Source } from "../catalogue-source.ts";
import { modelsFolder } from "../model-file.ts";
import { encodeMetadata, Graph } from "../onnx/graph.ts";
import { readOnnxSource, readTfjsSource, readWheelSource } from "../source.ts";
import { blazefaceUnusedWeights, writeBlazeface } from "./blazeface.ts";
import { writeDlib } from "./dlib.ts";
import { faceboxesUnusedWeights, writeFaceboxes } from "./faceboxes.ts";
import { writeLandmarks } from "./landmarks.ts";
import { FloatLayers } from "./layers/float.ts";
import { Int8Layers, type RangeOf, type ScalesOf } from "./layers/int8.ts";
import type { Layers, Maps } from "./layers/layers.ts";
import { scalesOfLetters } from "./layers/quantisation.ts";
import { mobileFaceNetUnusedWeights, writeMobileFaceNet } from "./mobilefacenet.ts";
import { readOnnxWeights } from "./onnx-weights.ts";
import { writeSface } from "./sface.ts";
import { ssdUnusedWeights, writeSsd } from "./ssd.ts";
import { readWeights, type Weights } from "./weights.ts";
import { writeYunet } from "./yunet.ts";

/** Version in the metadata of every file. Raise it when the same weights give other bytes. */
export const converterVersion = "faceline 3";

/**
 * Returns the bytes of a model's .onnx file, from the source that its catalogue entry names: the same bytes
 * every time, on every machine. `folder` is that of the built models, which has pulled weights too. Throws if
 * no converter makes the model in this precision.
 */
export async function convert(model: Model, variant: Variant, folder = modelsFolder): Promise<Uint8Array> {
  if (model.source.kind === "onnx_file" && variant.precision === "float32") {
    return readOnnxSource(model.source);
  }
  if (model.name === "yunet" && model.source.kind === "wheel_onnx") {
    const adapted = writeYunet(await readWheelSource(folder, model, model.source), model.input_px);
    return Buffer.concat([adapted, encodeMetadata(metadataOf(model, variant))]);
  }
  const graph = new Graph(model.name);
  await writeGraph(graph, model, { ...variant, folder, ...calibrationOf(model) });
  return graph.encode(metadataOf(model, variant));
}

/**
 * A network in float32 whose inner layers are outputs too, for calibration: those whose ranges an int8 build
 * needs. Their names are those of the ranges.
 */
export async function convertObserved(
  model: Model,
  px: number,
): Promise<{ onnx: Uint8Array; layers: string[] }> {
  const needed = new Set<string>();
  const folder = modelsFolder;
  const rangeOf = (layer: string): [number, number] => {
    needed.add(layer);
    return [0, 1];
  };
  await writeGraph(new Graph(model.name), model, { precision: "int8", input_px: px, folder, rangeOf });
  const graph = new Graph(model.name);
  const layers: string[] = [];
  const variant = { precision: "float32", input_px: px } as const;
  const observe = ({ name, channels, px }: Maps): void => {
    if (!needed.has(name)) return;
    layers.push(name);
    graph.output(name, "float32", ["N", channels, px, px]);
  };
  await writeGraph(graph, model, { ...variant, folder, rangeOf, observe });
  return { onnx: graph.encode(metadataOf(model, variant)), layers };
}

async function writeGraph(
  graph: Graph,
  model: Model,
  { precision, input_px: px, folder, ...task }: Conversion,
): Promise<void> {
  const network = networks[model.name];
  const write = network?.[precision];
  const { source } = model;
  if (network === undefined || write === undefined || source.kind === "onnx_file") {
    throw new Error(`no converter makes the model ${model.name} in ${precision}`);
  }
  const weights = await readSource(folder, model, source);
  write({ graph, weights, px, ...task });
  const unused = weights.unused().filter((name) => !network.unusedWeights?.test(name));
  if (unused.length > 0) throw new Error(`${model.name}: the graph leaves out ${unused.join(", ")}`);
}

async function readSource(
  folder: string,
  model: Model,
  source: Exclude<Source, { kind: "onnx_file" }>,
): Promise<Weights> {
  if (source.kind === "wheel_onnx") return readOnnxWeights(await readWheelSource(folder, model, source));
  const { manifest, bytes } = await readTfjsSource(folder, model, source);
  return readWeights(manifest, bytes);
}

type Conversion = Variant & {
  folder: string;
  rangeOf: RangeOf;
  scalesOf?: ScalesOf;
  observe?: (maps: Maps) => void;
};

/** Converters, by the name in the catalogue. `unusedWeights` are those that the network does not need. */
const networks: Readonly<Record<string, Network>> = {
  ssd: { ...bothPrecisions(writeSsd), unusedWeights: ssdUnusedWeights },
  faceboxes: { ...inFloat(writeFaceboxes), unusedWeights: faceboxesUnusedWeights },
  blazeface: { ...inFloat(writeBlazeface), unusedWeights: blazefaceUnusedWeights },
  "landmarks-68": inFloat(writeLandmarks),
  Dlib: bothPrecisions(writeDlib),
  SFace: bothPrecisions(writeSface),
  MobileFaceNet: { ...inFloat(writeMobileFaceNet), unusedWeights: mobileFaceNetUnusedWeights },
};

type Network = Partial<Record<Precision, (task: ConversionTask) => void>> & { unusedWeights?: RegExp };

type ConversionTask = {
  graph: Graph;
  weights: Weights;
  px: number;
} & Pick<Conversion, "rangeOf" | "scalesOf" | "observe">;

/** The writer of a network that has no build in int8. */
function inFloat(write: (graph: Graph, layers: FloatLayers, weights: Weights, px: number) => void): Network {
  return { float32: ({ graph, weights, px }) => write(graph, new FloatLayers(graph), weights, px) };
}

/** The writers of a network that is described once for both precisions. */
function bothPrecisions(
  write: <M extends Maps>(graph: Graph, layers: Layers<M>, weights: Weights, px: number) => void,
): Record<Precision, (task: ConversionTask) => void> {
  return {
    float32: ({ graph, weights, px, observe }) => write(graph, new FloatLayers(graph, observe), weights, px),
    int8: ({ graph, weights, px, rangeOf, scalesOf }) =>
      write(graph, new Int8Layers(graph, rangeOf, scalesOf), weights, px),
  };
}

function calibrationOf({ name, calibration }: Model): { rangeOf: RangeOf; scalesOf: ScalesOf } {
  return {
    rangeOf(layer) {
      const range = calibration?.ranges[layer];
      if (range === undefined) throw new Error(`the calibration of ${name} has no range of ${layer}`);
      return range;
    },
    scalesOf(layer) {
      const letters = calibration?.channel_scales?.[layer];
      return letters === undefined ? undefined : scalesOfLetters(letters);
    },
  };
}

/** Metadata by which a file says by itself what it is, where it comes from and under which licence. */
function metadataOf(model: Model, { precision, input_px }: Variant): Record<string, string> {
  const { name, role, source } = model;
  return {
    name,
    role,
    precision,
    input_px: `${input_px}`,
    ...sourceMetadata(source),
    license: licenseOf(model),
    converter: converterVersion,
  };
}

function sourceMetadata(source: Source): { source: string; source_sha256: string } {
  if (source.kind === "onnx_file") return { source: source.origin, source_sha256: source.file.sha256 };
  if (source.kind === "wheel_onnx") {
    const { wheel, file } = source;
    return { source: `pypi:${wheel.name}@${wheel.version}/${file.path}`, source_sha256: file.sha256 };
  }
  const { weights } = source;
  return {
    source: `npm:${source.package}@${source.version}/${weights.map(({ path }) => path).join("+")}`,
    source_sha256: weights.map(({ sha256 }) => sha256).join("+"),
  };
}
