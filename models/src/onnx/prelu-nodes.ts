import { Message } from "./protobuf.ts";
import { type Field, readFields } from "./reader.ts";
import { type Floats, readFloats } from "./tensor.ts";

/**
 * Returns an .onnx file with its PReLUs written as slope * x + (1 - slope) * max(x, 0), and how many were
 * rewritten and left: the two products are convolutions of one number a channel. onnxruntime's own operator
 * runs in another memory layout than convolutions (convert/prelu.ts, for networks that are built here).
 * A PReLU is left where its slopes are not constants, one for each channel of maps.
 */
export function rewritePrelus(file: Uint8Array): { onnx: Uint8Array; rewritten: number; left: number } {
  const model = new Message();
  let [rewritten, left] = [0, 0];
  for (const each of readFields(file)) {
    if (each.field !== modelGraph) {
      model.field(each);
      continue;
    }
    const parts = [...readFields(each.value as Uint8Array)];
    const constants = parts.flatMap(({ field, value }) =>
      field === graphInitializer ? (readFloats(value as Uint8Array) ?? []) : [],
    );
    const slopesByName = new Map(constants.filter(isPerChannel).map((each) => [each.name, each.data]));
    const graph = new Message();
    const filters: Message[] = [];
    const unused = new Set<string>();
    for (const part of parts) {
      const prelu = part.field === graphNode ? preluOf(part.value as Uint8Array) : undefined;
      const slopes = prelu && slopesByName.get(prelu.slope);
      if (prelu && slopes) {
        filters.push(...writePrelu(graph, { ...prelu, slopes }));
        unused.add(prelu.slope);
        rewritten++;
      } else if (!unused.has(nameOf(part))) {
        graph.field(part);
        if (prelu) left++;
      }
    }
    for (const filter of filters) graph.message(graphInitializer, filter);
    model.message(modelGraph, graph);
  }
  return { onnx: model.encode(), rewritten, left };
}

/** Appends the nodes, and returns their filters. */
function writePrelu(graph: Message, { x, y, slopes }: Prelu & { slopes: DataView }): Message[] {
  const filters: Message[] = [];
  const channels = slopes.byteLength / 4;
  const node = (out: string, operator: string, inputs: readonly string[], group?: number): string => {
    const written = new Message();
    for (const input of inputs) written.text(1, input);
    written.text(2, out).text(3, out).text(4, operator);
    if (group !== undefined) written.message(5, new Message().text(1, "group").int(3, group).int(20, 2));
    graph.message(graphNode, written);
    return out;
  };
  const scaled = (name: string, input: string, factorOf: (slope: number) => number): string => {
    const factors = new DataView(new ArrayBuffer(slopes.byteLength));
    for (let i = 0; i < slopes.byteLength; i += 4) {
      factors.setFloat32(i, factorOf(slopes.getFloat32(i, true)), true);
    }
    const filter = new Message()
      .packed(1, [channels, 1, 1, 1])
      .int(2, 1)
      .text(8, `${y}/prelu/${name}/filter`);
    filters.push(filter.bytes(9, new Uint8Array(factors.buffer)));
    return node(`${y}/prelu/${name}`, "Conv", [input, `${y}/prelu/${name}/filter`], channels);
  };
  const line = scaled("line", x, (slope) => slope);
  const above = scaled("above", node(`${y}/prelu/relu`, "Relu", [x]), (slope) => 1 - slope);
  node(y, "Add", [line, above]);
  return filters;
}

/** [channels, 1, 1], with a batch before it or without. */
function isPerChannel({ shape }: Floats): boolean {
  const [width, height, channels = 1, ...others] = shape.toReversed();
  return width === 1 && height === 1 && channels > 1 && others.length <= 1 && (others[0] ?? 1) === 1;
}

function preluOf(node: Uint8Array): Prelu | undefined {
  const fields = [...readFields(node)];
  const texts = (number: number) =>
    fields.filter(({ field }) => field === number).map(({ value }) => text(value));
  const [operator, domain = ""] = [...texts(4), ...texts(7)];
  const [[x, slope], [y]] = [texts(1), texts(2)];
  if (operator !== "PRelu" || domain !== "") return undefined;
  return { x: x!, slope: slope!, y: y! };
}

/** Returns the name of a constant, or of an input: old files list constants there too. */
function nameOf({ field, value }: Field): string {
  const number = { [graphInitializer]: 8, [graphInput]: 1 }[field];
  if (number === undefined) return "";
  return text([...readFields(value as Uint8Array)].find((each) => each.field === number)?.value);
}

const text = (value: Field["value"] | undefined): string =>
  value instanceof Uint8Array ? new TextDecoder().decode(value) : "";

const modelGraph = 7;
const [graphNode, graphInitializer, graphInput] = [1, 5, 11];

/** Names of a node's inputs and of its output. */
type Prelu = { x: string; slope: string; y: string };
