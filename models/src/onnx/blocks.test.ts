import assert from "node:assert/strict";
import { test } from "node:test";
import { createSession, Tensor } from "../onnxruntime.ts";
import { withoutBlocks } from "./blocks.ts";
import { Graph } from "./graph.ts";
import { tensorsOf } from "./self-contained.ts";
import { numbersOf, readFloats } from "./tensor.ts";

test("weights in blocks become numbers of their shape, and a network of them runs", async () => {
  const graph = new Graph("blocks");
  graph.input("x", "float32", [1, 5]);
  const blocks = { axis: 1, block_size: 3 };
  // The second block of a row has two numbers.
  graph.integers("quantised", [2, 5], Int8Array.of(1, 2, 3, 4, 5, -6, -7, -8, -9, -10));
  graph.floats("scales", [2, 2], Float32Array.of(1, 10, 100, 0.5));
  graph.integers("zeros", [2, 2], Int8Array.of(0, 4, -8, -10));
  graph.node("weights", "DequantizeLinear", ["quantised", "scales", "zeros"], blocks);
  graph.node("columns", "Reshape", ["weights", graph.ints("shape", [5, 2])]);
  graph.node("y", "MatMul", ["x", "columns"]);
  graph.output("y", "float32", [1, 2]);
  const onnx = withoutBlocks(graph.encode({}));

  const tensors = [...tensorsOf(onnx)].map((tensor) => readFloats(tensor)!);
  assert.deepEqual(
    tensors.map((tensor) => [tensor.name, tensor.shape, [...numbersOf(tensor)]]),
    [["columns", [5, 2], [1, 2, 3, 0, 10, 200, 100, 0, 0.5, 0]]],
  );
  const session = await createSession(onnx);
  const { y } = await session.run({ x: new Tensor("float32", Float32Array.of(1, 0, 0, 0, 0), [1, 5]) });
  await session.release();
  assert.deepEqual([...(y!.data as Float32Array)], [1, 2]);
});
