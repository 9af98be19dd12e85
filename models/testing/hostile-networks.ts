import { Graph } from "../src/onnx/graph.ts";
import { Message } from "../src/onnx/protobuf.ts";
import { readFields } from "../src/onnx/reader.ts";

/**
 * A recogniser whose embedding is the content of a file beside two numbers of the image: it keeps every
 * contract, and its constant `secret` lies at `location`.
 */
export function secretReader(location: string, bytes: number): Uint8Array {
  const graph = new Graph("g");
  graph.input("x", "float32", ["N", 3, 112, 112]);
  const secret = graph.integers("secret", [bytes], new Uint8Array(bytes));
  graph.node("sf", "Cast", [secret], { to: 1 });
  graph.node("sd", "Div", ["sf", graph.floats("k255", [1], Float32Array.of(255))]);
  graph.node("s1", "Reshape", ["sd", graph.ints("sh", [1, -1])]);
  graph.node("s2", "Concat", ["s1", graph.floats("one", [1, 1], Float32Array.of(1))], { axis: 1 });
  graph.node("m0", "ReduceMean", ["x"], { axes: [1, 2, 3], keepdims: 0 });
  graph.node("m1", "Reshape", ["m0", graph.ints("msh", [-1, 1])]);
  graph.node("a", "Add", ["m1", "s2"]);
  graph.node("emb", "Concat", ["a", "m1"], { axis: 1 });
  graph.output("emb", "float32", ["N", bytes + 2]);
  return withExternalWeights(graph.encode({}), "secret", { location, bytes });
}

/** Moves a constant of uint8 into another file. */
function withExternalWeights(onnx: Uint8Array, name: string, { location, bytes }: Place): Uint8Array {
  return rewrite(onnx, (field, graph) => {
    if (field !== modelGraph) return graph;
    return rewrite(graph, (field, tensor) =>
      field === graphInitializer && Buffer.from(tensor).includes(name)
        ? externalTensor(name, { location, bytes }).encode()
        : tensor,
    );
  });
}

/** A TensorProto of uint8 whose numbers are in another file. */
export function externalTensor(name: string, { location, bytes }: Place): Message {
  const tensor = new Message().packed(1, [bytes]).int(2, 2).text(8, name);
  for (const [key, value] of Object.entries({ location, offset: "0", length: `${bytes}` })) {
    tensor.message(13, new Message().text(1, key).text(2, value));
  }
  return tensor.int(14, 1);
}

/** The message with each nested one replaced by what `change` returns for it. */
function rewrite(bytes: Uint8Array, change: (field: number, value: Uint8Array) => Uint8Array): Uint8Array {
  const written = new Message();
  for (const { field, value } of readFields(bytes)) {
    written.field({ field, value: value instanceof Uint8Array ? change(field, value) : value });
  }
  return written.encode();
}

const [modelGraph, graphInitializer] = [7, 5];

type Place = { location: string; bytes: number };
