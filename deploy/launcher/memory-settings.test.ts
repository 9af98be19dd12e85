import assert from "node:assert/strict";
import test from "node:test";
import { mallocSettings } from "./malloc-settings.ts";

test("a worker gives memory back to the system where MODELS_MEMORY_MIB bounds that of its models", () => {
  assert.deepEqual(mallocSettings("inference", { MODELS_MEMORY_MIB: "100" }), {
    MALLOC_ARENA_MAX: "1",
    MALLOC_MMAP_THRESHOLD_: "1048576",
  });
  for (const [service, bound] of [
    ["inference", ""],
    ["ingress", "100"],
    ["batcher", "100"],
  ] as const) {
    assert.deepEqual(mallocSettings(service, { MODELS_MEMORY_MIB: bound }), { MALLOC_ARENA_MAX: "1" });
  }
});
