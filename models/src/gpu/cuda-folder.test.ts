import assert from "node:assert/strict";
import { test } from "node:test";
import { cudaEnvironment } from "./cuda-folder.ts";

test("a worker with CUDA finds the libraries before those of the machine, and others are not changed", () => {
  const LD_LIBRARY_PATH = "/opt/cuda/lib";
  assert.deepEqual(cudaEnvironment("/models", { EXECUTION_PROVIDER: "cuda", LD_LIBRARY_PATH }), {
    LD_LIBRARY_PATH: "/models/gpu/1.30.0:/opt/cuda/lib",
  });
  assert.deepEqual(cudaEnvironment("/models", { EXECUTION_PROVIDER: "cuda" }), {
    LD_LIBRARY_PATH: "/models/gpu/1.30.0",
  });
  for (const EXECUTION_PROVIDER of [undefined, "cpu", "webgpu"]) {
    assert.deepEqual(cudaEnvironment("/models", { EXECUTION_PROVIDER, LD_LIBRARY_PATH }), {});
  }
});
