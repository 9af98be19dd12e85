// Covers lanes of two embedding models on the same workers, and a model that is enabled but was not pulled.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { CapabilitiesResponse } from "@faceline/contracts/http/capabilities";
import { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import { VerifyResponse } from "@faceline/contracts/http/verify";
import { readCatalogue } from "@faceline/models/catalogue";
import type { Model } from "@faceline/models/catalogue-entry";
import { modelsFolder } from "@faceline/models/model-file";
import { isUnpulled } from "@faceline/models/source";
import { portraits } from "@faceline/testing/faces";
import type { Post } from "./stack/api-client.ts";
import { startStack } from "./stack/stack.ts";

const catalogue = await readCatalogue();
const mobileFaceNet = catalogue.find("embedding", "MobileFaceNet")!;
const isHere = ({ source }: Model) => !isUnpulled(process.env["MODELS_DIR"] ?? modelsFolder, source);
const detectors = catalogue
  .all("detector")
  .filter(isHere)
  .map(({ name }) => name);
const settings = { MODELS: "Dlib,MobileFaceNet", DETECTORS: detectors.join() };
const skip =
  !isHere(mobileFaceNet) &&
  "NOT TESTED: the weights of MobileFaceNet are not here; npm run models -- pull MobileFaceNet fetches them";

test("a second embedding model is served beside the first", { skip }, async (t) => {
  const running = await startStack(t, { settings });
  const [first, second, third] = (await portraits()).map((image) => image.toString("base64"));
  const { post } = running;

  for (const detector_backend of detectors) {
    await t.test(`/verify with each metric and the detector ${detector_backend}`, async () => {
      for (const distance_metric of DistanceMetric.options) {
        const call = { model_name: "MobileFaceNet", distance_metric, detector_backend };
        const [same, different] = [
          await verify(post, first, first, call),
          await verify(post, first, second, call),
        ];
        assert.deepEqual([same.verified, different.verified], [true, false], distance_metric);
        assert.equal(different.detector_backend, detector_backend);
        assert.equal(different.threshold, mobileFaceNet.thresholds[distance_metric]);
        // Embeddings have the length 1, so the distances are those of points of a sphere.
        assert.ok(different.distance > different.threshold && different.distance <= 2);
      }
    });
  }

  await t.test("Dlib is served with each detector beside it", async () => {
    for (const detector_backend of detectors) {
      const { verified } = await verify(post, first, second, { detector_backend });
      assert.equal(verified, false);
    }
  });

  await t.test("/capabilities has its size, its thresholds and where they come from", async () => {
    const response = await (await fetch(`${running.address}/capabilities`)).json();
    const { models, model_details, limits } = CapabilitiesResponse.parse(response);
    assert.deepEqual(models, ["Dlib", "MobileFaceNet"]);
    const { embedding_size, thresholds, thresholds_from, precision, status } =
      model_details["MobileFaceNet"]!;
    assert.deepEqual([embedding_size, precision, status], [192, "float32", "ready"]);
    assert.deepEqual(thresholds, mobileFaceNet.thresholds);
    assert.deepEqual(thresholds_from, mobileFaceNet.thresholds_from);
    assert.equal(limits.vector_length, 192);
  });

  await t.test("embeddings of /represent have the length 1, and are refused by another model", async () => {
    const { body } = await post("/represent", { img: first, model_name: "MobileFaceNet" });
    const [{ embedding }] = (body as { results: [{ embedding: number[] }] }).results;
    assert.equal(embedding.length, 192);
    assert.ok(Math.abs(Math.hypot(...embedding) - 1) < 1e-5);
    const again = await verify(post, embedding, third, { model_name: "MobileFaceNet" });
    assert.equal(again.verified, false);
    const { status } = await post("/verify", { img1: embedding, img2: third, model_name: "Dlib" });
    assert.equal(status, 400);
  });
});

test("a worker ends with one sentence where a model was not pulled", async (t) => {
  const empty = mkdtempSync(join(tmpdir(), "not-pulled-"));
  t.after(() => rmSync(empty, { recursive: true }));
  const starting = startStack(t, {
    settings: { MODELS: "MobileFaceNet", MODELS_DIR: empty },
  });
  await assert.rejects(starting, ({ message }: Error) => {
    const [, sentence] = message.split("\n  ");
    assert.equal(
      sentence,
      `MODELS and DETECTORS: MobileFaceNet was not pulled; "npm run models -- pull MobileFaceNet --to ${empty}" fetches it`,
    );
    return true;
  });
});

async function verify(post: Post, img1: unknown, img2: unknown, call: object) {
  const { status, body } = await post("/verify", { img1, img2, ...call });
  assert.equal(status, 200, JSON.stringify(body));
  return VerifyResponse.parse(body);
}
