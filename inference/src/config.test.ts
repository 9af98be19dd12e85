import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { readConfig } from "@faceline/runtime/config";
import { InferenceConfig, requirePixelMemory } from "./config.ts";
import { PixelBufferPool } from "./decode/pixel-buffers.ts";
import { pixelBuffersMax } from "./worker.ts";

function read(env: Record<string, string>) {
  return readConfig(InferenceConfig, {
    MODELS_DIR: "/models",
    KAFKA_BROKERS: "127.0.0.1:9092",
    REDIS_VOLATILE_URL: "redis://127.0.0.1:6379",
    ...env,
  });
}

test("settings that allow more pixels than there is memory are an error", () => {
  const config = read({ BATCH_MAX: "256" });
  const { bytesMax } = new PixelBufferPool({
    batchMax: 256,
    longSideMaxPx: 2_560,
    buffersMax: pixelBuffersMax,
  });
  assert.throws(() => requirePixelMemory(config, bytesMax, 4 * 2 ** 30), {
    message: "BATCH_MAX=256 allows 14400 MiB of pixels, but 4096 MiB of memory are available; lower it",
  });
  requirePixelMemory(config, bytesMax, bytesMax);
});

test("a relative MODELS_DIR is one of the folder that the worker was started in, which it leaves", () => {
  assert.equal(read({ MODELS_DIR: "models" }).MODELS_DIR, join(process.cwd(), "models"));
});

test("all wrong settings are one error, each with a sentence", () => {
  assert.throws(
    () => read({ MODELS: "Dlib,Dlib", EXECUTION_PROVIDER: "tpu", MODELS_DIR: "" }),
    ({ message }: Error) =>
      [/^ *MODELS: Dlib is in the list twice$/m, /^ *EXECUTION_PROVIDER: /m, /^ *MODELS_DIR: /m].every(
        (line) => line.test(message),
      ),
  );
});

test("a batch has up to as many images as a message may name", () => {
  assert.equal(read({ BATCH_MAX: "256" }).BATCH_MAX, 256);
  assert.throws(() => read({ BATCH_MAX: "257" }), /BATCH_MAX: /);
});
