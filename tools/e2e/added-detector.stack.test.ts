// Covers detectors that an operator adds, as made-up graphs, from the entry below MODELS_DIR to HTTP
// responses.
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { RepresentResponse } from "@faceline/contracts/http/represent";
import { readCatalogue } from "@faceline/models/catalogue";
import { addModel } from "@faceline/models/contract/add";
import { modelFile, modelsFolder } from "@faceline/models/model-file";
import { foreignDetector, priorContract, strideContract } from "@faceline/models/testing/foreign-detector";
import { foreignContract, foreignRecogniser } from "@faceline/models/testing/foreign-recogniser";
import { portraits } from "@faceline/testing/faces";
import { startStack } from "./stack/stack.ts";

test("detectors that were added serve calls by their names, in batches", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "added-detector-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const landmarks = (await readCatalogue()).find("landmarks", "landmarks-68")!;
  for (const build of landmarks.builds) {
    const built = modelFile(process.env["MODELS_DIR"] ?? modelsFolder, landmarks, build);
    copyFileSync(built, join(folder, build.file));
  }
  await addModel(folder, foreignRecogniser(), { contract: foreignContract, licenceText: "as you like" });
  const contracts = [strideContract, priorContract];
  const names = contracts.map(({ name }) => name);
  for (const contract of contracts) {
    await addModel(folder, foreignDetector(contract), { contract, licenceText: "as you like" });
  }
  const models = { MODELS: "Foreign", MODELS_DIR: folder };
  const detectors = { DETECTORS: names.join() };
  const { post } = await startStack(t, { settings: { ...models, ...detectors } });

  const [portrait] = (await portraits()).map((each) => each.toString("base64"));
  const calls = names.flatMap((name) => Array<string>(4).fill(name));
  await Promise.all(
    calls.map(async (detector_backend) => {
      const { status, body } = await post("/represent", { img: portrait, detector_backend });
      assert.equal(status, 200, `${detector_backend}: ${JSON.stringify(body)}`);
      assert.equal(RepresentResponse.parse(body).results.length, 1);
    }),
  );
});
