import assert from "node:assert/strict";
import { test } from "node:test";
import { misplacedNodes, type ProfileEvent } from "./placement.ts";

test("heavy nodes must run on the execution provider; light ones may run on the CPU", () => {
  assert.deepEqual(
    misplacedNodes([node("Conv", "CUDA"), node("Cast", "CPU"), node("Gemm", "CUDA")], "cuda"),
    [],
  );
  assert.deepEqual(misplacedNodes([node("Conv", "Webgpu"), node("FusedConv", "Webgpu")], "webgpu"), []);
});

test("heavy nodes that run elsewhere are named, each once", () => {
  const profile = [node("Conv", "CPU"), node("Conv", "CPU"), node("Conv", "CUDA"), node("MatMul", "CPU")];
  assert.deepEqual(misplacedNodes(profile, "cuda"), [
    "Conv on CPUExecutionProvider",
    "MatMul on CPUExecutionProvider",
  ]);
});

test("a profile without heavy nodes proves nothing", () => {
  assert.equal(misplacedNodes([{ cat: "Session" }, node("Cast", "CUDA")], "cuda").length, 1);
});

function node(op_name: string, provider: string): ProfileEvent {
  return { cat: "Node", args: { op_name, provider: `${provider}ExecutionProvider` } };
}
