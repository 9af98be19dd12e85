import { licenseOf, type Model, type Precision } from "../catalogue.ts";
import { readSource } from "../source.ts";
import { convertDlib } from "./dlib.ts";
import { convertLandmarks } from "./landmarks.ts";
import type { Graph } from "./onnx/graph.ts";
import { convertSsd, ssdLeftovers } from "./ssd.ts";
import { convertTiny } from "./tiny.ts";
import { readWeights, type Weights } from "./weights.ts";

/** Raised when the same weights begin to give other bytes; it stands in every file. */
export const CONVERTER = "faceline 1";

/** A model's .onnx file, from the weights that its catalogue entry names. The same bytes every time, anywhere. */
export async function convert(model: Model, precision: Precision): Promise<Uint8Array> {
  const network = networks[model.name]?.[precision];
  if (network === undefined) throw new Error(`no converter makes the model ${model.name} in ${precision}`);

  const { manifest, bytes } = await readSource(model.source);
  const weights = readWeights(manifest, bytes);
  const graph = network.graph(weights);
  const forgotten = weights.unused().filter((name) => !network.leftovers?.test(name));
  if (forgotten.length > 0) throw new Error(`${model.name}: the graph leaves out ${forgotten.join(", ")}`);
  return graph.encode(metadataOf(model, precision));
}

/** By the name of the catalogue. `leftovers` are weights that the network has no use for. */
const networks: Readonly<Record<string, Partial<Record<Precision, Network>>>> = {
  ssd: { float32: { graph: convertSsd, leftovers: ssdLeftovers } },
  tiny: { float32: { graph: convertTiny } },
  "landmarks-68": { float32: { graph: convertLandmarks } },
  Dlib: { float32: { graph: convertDlib } },
};

type Network = { graph: (weights: Weights) => Graph; leftovers?: RegExp };

/** So that a file which lies about alone still tells what it is, whence it came and on what terms. */
function metadataOf(model: Model, precision: Precision): Record<string, string> {
  const { name, role, source } = model;
  return {
    name,
    role,
    precision,
    source: `npm:${source.package}@${source.version}/${source.weights.map(({ path }) => path).join("+")}`,
    source_sha256: source.weights.map(({ sha256 }) => sha256).join("+"),
    license: licenseOf(model),
    converter: CONVERTER,
  };
}
