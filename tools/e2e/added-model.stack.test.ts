// Covers models that an operator has added, from the entry below MODELS_DIR to HTTP responses.
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { CapabilitiesResponse } from "@faceline/contracts/http/capabilities";
import { VerifyResponse } from "@faceline/contracts/http/verify";
import { readCatalogue } from "@faceline/models/catalogue";
import { addRecogniser } from "@faceline/models/contract/add";
import { modelFile, modelsFolder } from "@faceline/models/model-file";
import { foreignContract, foreignRecogniser } from "@faceline/models/testing/foreign-recogniser";
import { portraits } from "@faceline/testing/faces";
import { startStack } from "./stack/stack.ts";

test("models that were added are shown and serve calls by their names, several at once", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "added-model-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const { models } = await readCatalogue();
  for (const model of models.filter(({ name }) => ["blazeface", "landmarks-68"].includes(name))) {
    for (const build of model.builds) {
      const built = modelFile(process.env["MODELS_DIR"] ?? modelsFolder, model, build);
      copyFileSync(built, join(folder, build.file));
    }
  }
  const contracts = [foreignContract, { ...foreignContract, name: "Foreign_2", output: { length: 512 } }];
  for (const contract of contracts) {
    const { length } = contract.output;
    const onnx = foreignRecogniser({ length, slow: true });
    await addRecogniser(folder, onnx, { contract, licenceText: "as you like" });
  }
  const added = contracts.map(({ name }) => name);
  const { address, post } = await startStack(t, {
    settings: {
      MODELS: added.join(),
      DETECTORS: "blazeface",
      MODELS_DIR: folder,
    },
  });

  const shown = await (await fetch(`${address}/capabilities`)).json();
  const details = CapabilitiesResponse.parse(shown).model_details["Foreign"]!;
  assert.deepEqual(
    [details.embedding_size, details.license, details.status, details.thresholds],
    [16, "Apache-2.0", "ready", { cosine: 0.5, euclidean: 1, euclidean_l2: 1 }],
  );

  const [image] = (await portraits()).map((each) => each.toString("base64"));
  // Four calls of each at once, which the batcher may put together.
  const names = added.flatMap((name) => Array<string>(4).fill(name));
  const responses = names.map(async (name) => {
    const call = { img1: image, img2: image, model_name: name, detector_backend: "blazeface" };
    const { status, body } = await post("/verify", call);
    assert.equal(status, 200, JSON.stringify(body));
    const { verified, model } = VerifyResponse.parse(body);
    assert.deepEqual([verified, model], [true, name]);
  });
  await Promise.all(responses);
});
