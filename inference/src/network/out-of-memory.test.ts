import assert from "node:assert/strict";
import { test } from "node:test";
import { isOutOfMemory } from "./out-of-memory.ts";

test("errors of allocators are distinguished from other errors of a run", () => {
  const texts = [
    "std::bad_alloc",
    "Non-zero status code returned while running Conv node. Status Message: " +
      "/onnxruntime_src/onnxruntime/core/framework/bfc_arena.cc:376 AllocateRawInternal " +
      "Failed to allocate memory for requested buffer of size 1048576000",
    "CUDA failure 2: out of memory ; GPU=0 ; hostname=h ; expr=cudaMalloc((void**)&p, size);",
    "CUBLAS failure 3: CUBLAS_STATUS_ALLOC_FAILED ; GPU=0",
    "CUDNN failure 4: CUDNN_STATUS_ALLOC_FAILED ; GPU=0",
  ];
  for (const text of texts) assert.equal(isOutOfMemory(new Error(text)), true, text);
  assert.equal(isOutOfMemory(new RangeError("Array buffer allocation failed")), true);
  for (const text of ["the lane Dlib/none is not loaded", "CUDA failure 700: an illegal memory access"]) {
    assert.equal(isOutOfMemory(new Error(text)), false, text);
  }
});
