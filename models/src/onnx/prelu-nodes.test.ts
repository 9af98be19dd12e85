import assert from "node:assert/strict";
import { test } from "node:test";
import * as ort from "../onnxruntime.ts";
import { Graph } from "./graph.ts";
import { rewritePrelus } from "./prelu-nodes.ts";

const slopes = [0.25, -0.5, 0, 1, 3];
const numbers = [-2, -1e-3, 0, 1.5];

test("a rewritten PReLU gives slope * x below zero and x above, whatever the slope, for every batch", async () => {
  for (const shape of [
    [5, 1, 1],
    [1, 5, 1, 1],
  ]) {
    const { onnx, ...counts } = rewritePrelus(preluGraph((graph) => graph.floats("s", shape, slopesOf(5))));
    assert.deepEqual(counts, { rewritten: 1, left: 0 });
    assert.ok(!Buffer.from(onnx).includes("PRelu"));
    const session = await ort.createSession(onnx);
    const x = Float32Array.from({ length: 2 * 5 * 4 }, (_, i) => numbers[i % 4]!);
    const { y } = await session.run({ x: new ort.Tensor("float32", x, [2, 5, 2, 2]) });
    await session.release();
    for (const [i, value] of (y!.data as Float32Array).entries()) {
      const slope = slopes[Math.floor(i / 4) % 5]!;
      const expected = x[i]! < 0 ? slope * x[i]! : x[i]!;
      assert.ok(Math.abs(value - expected) < 1e-6, `${i}: ${value} instead of ${expected}`);
    }
  }
});

test("a PReLU stays if its slope is one for all channels, or is computed, or if it is no PReLU of maps", () => {
  for (const slope of [
    (graph: Graph) => graph.floats("s", [1, 1, 1], slopesOf(1)),
    (graph: Graph) => graph.floats("s", [5], slopesOf(5)),
    (graph: Graph) => graph.floats("s", [5, 2, 2], slopesOf(20)),
    (graph: Graph) => graph.node("s", "Identity", [graph.floats("c", [5, 1, 1], slopesOf(5))]),
  ]) {
    const file = preluGraph(slope);
    assert.deepEqual(rewritePrelus(file), { onnx: file, rewritten: 0, left: 1 });
  }
});

const slopesOf = (count: number) => Float32Array.from({ length: count }, (_, i) => slopes[i % 5]!);

function preluGraph(slope: (graph: Graph) => string): Uint8Array {
  const graph = new Graph("test");
  graph.input("x", "float32", ["N", 5, 2, 2]);
  graph.node("y", "PRelu", ["x", slope(graph)]);
  graph.output("y", "float32", ["N", 5, 2, 2]);
  return graph.encode({});
}
