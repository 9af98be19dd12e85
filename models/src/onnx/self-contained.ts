import { type Field, readFields } from "./reader.ts";

/**
 * Refuses an .onnx file that is more than a network: that names other files, needs code that onnxruntime does
 * not come with, or could be read in two ways. onnxruntime resolves file names against the working folder, so
 * such a file could put what is there into embeddings; and the SHA-256 of the catalogue would not cover it.
 * Every session is opened behind this check (onnxruntime.ts). Throws RefusedNetwork, one sentence.
 *
 * Walks the whole ModelProto: initializers, attributes, subgraphs, functions, training graphs. Only listed
 * fields pass, so that nothing can hide in one that is not looked into. A field that may occur once must not
 * occur twice, because protobuf would merge the two. Weights are skipped, not copied.
 */
export function requireSelfContained(onnx: Uint8Array): void {
  if (latin1(onnx.subarray(4, 8)) === ortIdentifier) {
    throw new RefusedNetwork("It is in the ORT format, which may name other files: export it as .onnx.");
  }
  requireMessage("model", onnx, { depth: 1, fieldsLeft: fieldsMax });
}

/** Yields every tensor of a file that is self-contained, wherever it is. The bytes are not copied. */
export function* tensorsOf(bytes: Uint8Array, kind: Kind = "model"): Generator<Uint8Array> {
  const { nested = {} }: MessageFields = messages[kind];
  for (const { field, value } of readFields(bytes)) {
    const inner = nested[field];
    if (inner === "tensor") yield value as Uint8Array;
    else if (inner !== undefined) yield* tensorsOf(value as Uint8Array, inner);
  }
}

/** The file is refused, whatever the engine; the message is a sentence about "it". */
export class RefusedNetwork extends Error {}

function requireMessage(kind: Kind, bytes: Uint8Array, walk: Walk): void {
  if (walk.depth > depthMax) {
    throw new RefusedNetwork(`Its graphs are nested deeper than ${depthMax} messages: flatten them.`);
  }
  const { once, repeated, nested = {} }: MessageFields = messages[kind];
  const values = new Map<number, Field["value"]>();
  for (const { field, value } of fieldsOf(bytes)) {
    if (--walk.fieldsLeft < 0) {
      throw new RefusedNetwork(`It has more than ${fieldsMax} fields, which no recogniser needs.`);
    }
    if (values.has(field) && once.includes(field)) throw malformed(kind, `${field} more than once`);
    if (!once.includes(field) && !repeated.includes(field))
      throw malformed(kind, `${field}, which is unknown`);
    const inner = nested[field];
    if (inner !== undefined && !(value instanceof Uint8Array)) throw malformed(kind, `${field} as a number`);
    values.set(field, value);
    if (inner === undefined) continue;
    walk.depth++;
    requireMessage(inner, value as Uint8Array, walk);
    walk.depth--;
  }
  requireValues(kind, values);
}

/** `values` has one of each field, of those that occur once the only one. */
function requireValues(kind: Kind, values: ReadonlyMap<number, Field["value"]>): void {
  const text = (field: number): string => {
    const value = values.get(field) ?? emptyText;
    if (!(value instanceof Uint8Array)) throw malformed(kind, `${field} as a number`);
    return latin1(value);
  };
  if (kind === "tensor") {
    // As protobuf reads 2 ** 32 + 1 as EXTERNAL, which is 1.
    const location = values.get(tensor.dataLocation) ?? 0n;
    if (location === 0n && !values.has(tensor.externalData)) return;
    const name = printable(text(tensor.name));
    throw new RefusedNetwork(`It keeps the weights ${name} in another file: export it into one file.`);
  }
  if (kind === "node") return requireOperator(text(node.domain), text(node.operator));
  if (kind === "operatorSet" && !declaredByOnnxruntime.has(text(operatorSetDomain))) {
    return requireDomain(text(operatorSetDomain));
  }
  if (kind === "function") return requireDomain(text(functionDomain));
  if (kind === "metadata" && text(metadataKey) === sessionConfig) {
    throw new RefusedNetwork(`Its metadata have ${sessionConfig}, which sets up onnxruntime: remove it.`);
  }
}

function requireDomain(domain: string): void {
  if (domain === microsoft || standardDomains.has(domain)) return;
  throw new RefusedNetwork(`It has operators of the domain ${printable(domain)}: ${exportStandard}.`);
}

function requireOperator(domain: string, operator: string): void {
  requireDomain(domain);
  if (domain !== microsoft || microsoftOperators.has(operator)) return;
  throw new RefusedNetwork(`It has the operator ${printable(operator)} of ${microsoft}: ${exportStandard}.`);
}

/** Makes text from a file of unknown origin safe to print in a message. */
export const printable = (name = ""): string => JSON.stringify(name.slice(0, 64).replaceAll(/[^ -~]/g, "?"));

function* fieldsOf(bytes: Uint8Array): Generator<Field> {
  try {
    yield* readFields(bytes);
  } catch (cause) {
    throw new RefusedNetwork(notOnnx, { cause });
  }
}

/** Compares bytes: a decoder of UTF-8 would drop some. */
const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
const emptyText = new Uint8Array();

const malformed = (kind: Kind, what: string): RefusedNetwork =>
  new RefusedNetwork(`It is not an ONNX file as exporters write them: a ${kind} has the field ${what}.`);

export const notOnnx = "It is not an ONNX file.";
const exportStandard = "export it with only standard ONNX operators";

/** The first bytes of a flatbuffer, by which onnxruntime recognises it. */
const ortIdentifier = "ORTM";
/** onnxruntime reads session options from it if an environment variable says so. */
const sessionConfig = "ort_config";

/** ONNX's own under both names, and its classic machine learning, which exporters declare without need. */
const standardDomains = new Set(["", "ai.onnx", "ai.onnx.ml"]);
/** Domains that every file which onnxruntime has optimised declares. No operator may be of these. */
const declaredByOnnxruntime = words(`
  ai.onnx.training ai.onnx.preview ai.onnx.preview.training org.pytorch.aten
  com.microsoft.experimental com.microsoft.nchwc com.ms.internal.nhwc`);
const microsoft = "com.microsoft";
/**
 * Operators of Faceline's int8 builds, and of onnxruntime's quantiser and its offline fusions: only
 * arithmetic. Others in the domain read files (EPContext) or call other engines.
 */
const microsoftOperators = words(`
  QLinearAdd QLinearMul QLinearConcat QLinearAveragePool QLinearGlobalAveragePool QLinearReduceMean
  QLinearLeakyRelu QLinearSigmoid QLinearSoftmax QLinearWhere QGemm QuantizeLinear DequantizeLinear
  DynamicQuantizeMatMul MatMulIntegerToFloat FusedConv FusedGemm FusedMatMul
  Gelu BiasGelu FastGelu QuickGelu SkipLayerNormalization Attention MultiHeadAttention`);

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** The limit of the protobuf library. A graph within a graph is three messages deeper. */
const depthMax = 100;
/** A ResNet-100 has about 10,000. This many are read within a second. */
const fieldsMax = 1_000_000;

/** The fields of onnx.proto, IR versions 3 to 14. Messages that are not in `nested` cannot hold a tensor. */
const messages = {
  model: {
    once: [1, 2, 3, 4, 5, 6, 7],
    repeated: [8, 14, 20, 25, 26],
    nested: { 7: "graph", 8: "operatorSet", 14: "metadata", 20: "training", 25: "function" },
  },
  graph: {
    once: [2, 10],
    repeated: [1, 5, 11, 12, 13, 14, 15, 16],
    nested: { 1: "node", 5: "tensor", 15: "sparseTensor" },
  },
  node: { once: [3, 4, 6, 7, 8], repeated: [1, 2, 5, 9, 10], nested: { 5: "attribute" } },
  attribute: {
    once: [1, 2, 3, 4, 5, 6, 13, 14, 20, 21, 22],
    repeated: [7, 8, 9, 10, 11, 15, 23],
    nested: { 5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparseTensor", 23: "sparseTensor" },
  },
  tensor: { once: [2, 3, 8, 9, 12, 14], repeated: [1, 4, 5, 6, 7, 10, 11, 13, 16] },
  sparseTensor: { once: [1, 2], repeated: [3], nested: { 1: "tensor", 2: "tensor" } },
  function: {
    once: [1, 8, 10, 13],
    repeated: [4, 5, 6, 7, 9, 11, 12, 14],
    nested: { 7: "node", 9: "operatorSet", 11: "attribute" },
  },
  training: { once: [1, 2], repeated: [3, 4], nested: { 1: "graph", 2: "graph" } },
  operatorSet: { once: [1, 2], repeated: [] },
  metadata: { once: [1, 2], repeated: [] },
} as const satisfies Record<string, MessageFields<string>>;

const tensor = { name: 8, externalData: 13, dataLocation: 14 } as const;
const node = { operator: 4, domain: 7 } as const;
const [operatorSetDomain, functionDomain, metadataKey] = [1, 10, 1];

type Kind = keyof typeof messages;
type MessageFields<Name = Kind> = {
  once: readonly number[];
  repeated: readonly number[];
  /** Fields whose messages may hold a tensor, an operator or a setting. */
  nested?: Readonly<Record<number, Name>>;
};
type Walk = { depth: number; fieldsLeft: number };
