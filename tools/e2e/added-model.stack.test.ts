// Covers models that an operator has added and calibrated, from the files below MODELS_DIR to HTTP responses.
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { CapabilitiesResponse } from "@faceline/contracts/http/capabilities";
import { VerifyResponse } from "@faceline/contracts/http/verify";
import { addedFolder, readCatalogue } from "@faceline/models/catalogue";
import { addModel, addRecogniser } from "@faceline/models/contract/add";
import { writeLocalThresholds } from "@faceline/models/local-thresholds";
import { modelFile, modelsFolder } from "@faceline/models/model-file";
import { foreignDetector, strideContract } from "@faceline/models/testing/foreign-detector";
import { foreignContract, foreignRecogniser } from "@faceline/models/testing/foreign-recogniser";
import { portraits } from "@faceline/testing/faces";
import { startStack } from "./stack/stack.ts";

test("models and a detector that were added are shown and serve calls by their names, several at once", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "added-model-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const landmarks = (await readCatalogue()).find("landmarks", "landmarks-68")!;
  for (const build of landmarks.builds) {
    const built = modelFile(process.env["MODELS_DIR"] ?? modelsFolder, landmarks, build);
    copyFileSync(built, join(folder, build.file));
  }
  const contracts = [foreignContract, { ...foreignContract, name: "Foreign_2", output: { length: 512 } }];
  for (const contract of contracts) {
    const { length } = contract.output;
    const onnx = foreignRecogniser({ length, slow: true });
    await addRecogniser(folder, onnx, { contract, licenceText: "as you like" });
  }
  const detector = { contract: strideContract, licenceText: "as you like" };
  await addModel(folder, foreignDetector(strideContract), detector);
  const catalogue = await readCatalogue(undefined, addedFolder(folder));
  const calibrated = catalogue.find("embedding", "Foreign_2")!;
  await writeLocalThresholds(catalogue, calibrated, { ...measured, modelsDir: folder });
  const added = contracts.map(({ name }) => name);
  const { address, post } = await startStack(t, {
    settings: { MODELS: added.join(), DETECTORS: strideContract.name, MODELS_DIR: folder },
  });

  const shown = await (await fetch(`${address}/capabilities`)).json();
  const { Foreign: details, Foreign_2: own } = CapabilitiesResponse.parse(shown).model_details;
  assert.deepEqual(
    [details!.embedding_size, details!.license, details!.status, details!.thresholds],
    [16, "Apache-2.0", "ready", { cosine: 0.5, euclidean: 1, euclidean_l2: 1 }],
  );
  assert.deepEqual(
    [own!.thresholds, own!.thresholds_calibration],
    [measured.thresholds, measured.calibration],
  );

  const [image] = (await portraits()).map((each) => each.toString("base64"));
  // Four calls of each at once, which the batcher may put together.
  const names = added.flatMap((name) => Array<string>(4).fill(name));
  const responses = names.map(async (name) => {
    const call = { img1: image, img2: image, model_name: name };
    const { status, body } = await post("/verify", call);
    assert.equal(status, 200, JSON.stringify(body));
    const { verified, model } = VerifyResponse.parse(body);
    assert.deepEqual([verified, model], [true, name]);
  });
  await Promise.all(responses);
});

const curve = { pairs: 80_000, distances: [0.01, 0.3], ranks: [1, 80_000] };
/** Thresholds as `models -- thresholds` writes them. */
const measured = {
  thresholds: { cosine: 0.02, euclidean: 0.3, euclidean_l2: 0.2 },
  calibration: {
    calibrated_at: "2026-11-22T23:00:00.000Z",
    fmr_wanted: 0.01,
    pairs_same: 400,
    pairs_different: 80_000,
    people: 400,
    detector: strideContract.name,
  },
  false_match_curves: { cosine: curve, euclidean: curve },
};
