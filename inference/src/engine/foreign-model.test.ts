import assert from "node:assert/strict";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { laneId } from "@faceline/contracts/wire/ids";
import { addedFolder, readCatalogue } from "@faceline/models/catalogue";
import { addModel, addRecogniser } from "@faceline/models/contract/add";
import { modelFile, modelsFolder, sha256 } from "@faceline/models/model-file";
import { otherSyntheticFace, syntheticFace } from "@faceline/models/synthetic-face";
import { foreignDetector, priorContract, strideContract } from "@faceline/models/testing/foreign-detector";
import { foreignContract, foreignRecogniser } from "@faceline/models/testing/foreign-recogniser";
import { secretReader } from "@faceline/models/testing/hostile-networks";
import { temporaryFolder } from "@faceline/models/testing/temporary-folder";
import { oneAtATime } from "../../testing/lane-settings.ts";
import { openEngine } from "./engine.ts";
import { openLanes } from "./lanes.ts";

// Models that are not from face-api: a contract and the adapter, and no other change. They are made up, but
// the landmarks, the alignment and the engine's thread are the real ones.

const lane = laneId("Foreign", "blazeface");

test("added models serve a batch through the engine by their entries, each image as it is alone", async (t) => {
  const modelsDir = await withForeignModel(t);
  const [portrait, dark] = [image(), image(otherSyntheticFace)];
  for (const contract of [strideContract, priorContract]) {
    await addModel(modelsDir, foreignDetector(contract), { contract, licenceText: "as you like" });
    const lane = laneId("Foreign", contract.name);
    const batches = { batchMax: 3, detectorChunkMax: 3, faceChunkMax: 3 };
    const settings = { ...oneAtATime, ...batches, modelsDir, lanes: [lane] };
    await using engine = await openEngine({ ...settings, modelled: undefined });
    const run = async (...pixels: ReturnType<typeof image>[]) => {
      const options = { align: true, enforceDetection: true, facesMax: 9, fullResolution: true };
      const images = pixels.map((each) => ({ ...each, options }));
      return (await engine.run({ lane, images })).results.map((result) => {
        assert.ok(result.kind === "faces" && result.faces.length === 1, contract.name);
        return result.faces[0]!;
      });
    };
    const [one, other] = [...(await run(portrait)), ...(await run(dark))];
    const { x, y, w, h } = one!.area;
    // About the middle half of 320 pixels: the numbers of the made-up detector follow the image a little.
    for (const [value, expected] of [
      [x, 80],
      [y, 80],
      [w, 160],
      [h, 160],
    ] as const) {
      assert.ok(Math.abs(value - expected) < 20, `${contract.name}: ${JSON.stringify(one!.area)}`);
    }
    const together = await run(portrait, dark, portrait);
    assert.deepEqual(
      together.map(({ area }) => area),
      [one!.area, other!.area, one!.area],
    );
  }
});

test("a model whose embeddings are not those of when it was added is not loaded", async (t) => {
  const modelsDir = await withForeignModel(t);
  const path = join(addedFolder(modelsDir), "foreign", "model.json");
  const entry = JSON.parse(await readFile(path, "utf8"));
  entry.golden.embeddings.reverse();
  await writeFile(path, JSON.stringify(entry));
  await assert.rejects(
    openLanes({ ...oneAtATime, modelsDir, lanes: [lane] }),
    /^Error: Foreign gives different embeddings than when it was added \(cosine distance/,
  );
});

test("a network that was put into MODELS_DIR by hand and reads another file is not loaded", async (t) => {
  const modelsDir = await withForeignModel(t);
  const onnx = secretReader("package.json", 16);
  const path = join(addedFolder(modelsDir), "foreign", "model.json");
  const entry = JSON.parse(await readFile(path, "utf8"));
  const [build] = entry.builds;
  entry.source.file.sha256 = build.sha256 = sha256(onnx);
  build.bytes = onnx.length;
  await writeFile(path, JSON.stringify(entry));
  const file = join(modelsDir, build.file);
  await writeFile(file, onnx);
  const sentence = 'It keeps the weights "secret" in another file: export it into one file.';
  await assert.rejects(openLanes({ ...oneAtATime, modelsDir, lanes: [lane] }), {
    message: `${file} is refused. ${sentence}`,
  });
});

function image(draw = syntheticFace) {
  const px = 320;
  const pixels = new Uint8Array(new SharedArrayBuffer(3 * px * px));
  pixels.set(draw(px));
  return { pixels, width: px, height: px, originalWidth: px, originalHeight: px };
}

/** A folder of built models: the detector and the landmarks of the catalogue, and the added one. */
async function withForeignModel(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t);
  const { models } = await readCatalogue();
  for (const model of models.filter(({ name }) => ["blazeface", "landmarks-68"].includes(name))) {
    for (const build of model.builds)
      await copyFile(modelFile(modelsFolder, model, build), join(folder, build.file));
  }
  await addRecogniser(folder, foreignRecogniser(), { contract: foreignContract, licenceText: "as you like" });
  return folder;
}
