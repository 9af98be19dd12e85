import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { mallocSettings, v8Flags } from "./memory-settings.ts";

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

test("the images start each service with the same flags of V8", () => {
  const dockerfile = readFileSync(new URL("../images/Dockerfile", import.meta.url), "utf8");
  for (const [service, flags] of Object.entries(v8Flags)) {
    const words = ["/usr/local/bin/node", ...flags, "--disable-sigusr1", `${service}/src/main.ts`];
    const entryPoint = words.map((word) => `"${word}"`).join(", ");
    assert.ok(dockerfile.includes(`ENTRYPOINT [${entryPoint}]`), service);
  }
});
