import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { readCudaPins } from "./cuda-pins.ts";

test("the CUDA libraries are those of the onnxruntime that is installed", () => {
  const pins = readCudaPins();
  const path = createRequire(import.meta.url).resolve("onnxruntime-node/package.json");
  const { version } = JSON.parse(readFileSync(path, "utf8")) as { version: string };
  assert.equal(pins.onnxruntime, version);
  assert.equal(pins.wheels.find(({ name }) => name === "onnxruntime-gpu")?.version, version);
});

test("no two files have one name, and each wheel keeps its licence", () => {
  const { wheels } = readCudaPins();
  const names = wheels.flatMap(({ files }) => files.map(({ name }) => name));
  assert.equal(new Set(names).size, names.length);
  for (const { name, files } of wheels) assert.ok(files.some((file) => file.name === `LICENSE.${name}`));
});
