import assert from "node:assert/strict";
import { test } from "node:test";
import { type ProfileEvent, straysOf } from "./placement.ts";

test("heavy nodes must run where they were asked to; light ones may stay on the CPU", () => {
  assert.deepEqual(straysOf([node("Conv", "CUDA"), node("Cast", "CPU"), node("Gemm", "CUDA")], "cuda"), []);
  assert.deepEqual(straysOf([node("Conv", "Webgpu"), node("FusedConv", "Webgpu")], "webgpu"), []);
});

test("those that run elsewhere are named, once each", () => {
  const profile = [node("Conv", "CPU"), node("Conv", "CPU"), node("Conv", "CUDA"), node("MatMul", "CPU")];
  assert.deepEqual(straysOf(profile, "cuda"), [
    "Conv on CPUExecutionProvider",
    "MatMul on CPUExecutionProvider",
  ]);
});

test("a profile that tells nothing proves nothing", () => {
  assert.equal(straysOf([{ cat: "Session" }, node("Cast", "CUDA")], "cuda").length, 1);
});

function node(op_name: string, provider: string): ProfileEvent {
  return { cat: "Node", args: { op_name, provider: `${provider}ExecutionProvider` } };
}
