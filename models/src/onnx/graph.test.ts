import assert from "node:assert/strict";
import { test } from "node:test";
import * as ort from "../onnxruntime.ts";
import { Graph } from "./graph.ts";

/** y = x * 2, for rows of three. */
function doubling(): Graph {
  const graph = new Graph("doubling");
  graph.input("x", "float32", ["N", 3]);
  graph.node("y", "Mul", ["x", graph.floats("two", [1], Float32Array.of(2))]);
  graph.output("y", "float32", ["N", 3]);
  return graph;
}

test("an engine reads the file, and the caller chooses the number of rows", async () => {
  const session = await ort.createSession(doubling().encode({}));
  const { y } = await session.run({ x: new ort.Tensor("float32", [1, 2, 3, 4, 5, 6], [2, 3]) });
  assert.deepEqual(y!.dims, [2, 3]);
  assert.deepEqual([...(y!.data as Float32Array)], [2, 4, 6, 8, 10, 12]);
});

test("a graph that is wrong is an error where it is built", () => {
  const graph = doubling();
  assert.throws(() => graph.node("y", "Relu", ["x"]), /two values are named y/);
  assert.throws(() => graph.node("z", "Relu", ["w"]), /z reads w, which no node makes/);
  assert.throws(() => graph.output("z", "float32", ["N"]), /the output z is made by no node/);
  assert.throws(() => graph.floats("f", [2, 2], new Float32Array(3)), /f: 3 numbers for the shape 2x2/);
});
