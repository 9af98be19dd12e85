import assert from "node:assert/strict";
import { test } from "node:test";
import type { Allowlist } from "@faceline/accounts/models/allowlist";
import type { Answer } from "@faceline/contracts/wire/answer";
import { Catalogue } from "@faceline/models/catalogue";
import type { EmbeddingModel } from "@faceline/models/catalogue-entry";
import { base64Image, facesAnswer, testModels, testPool, testServer } from "../../testing/server.ts";

const settings = { MODELS: "Dlib,Other" };
const dlib = testModels.find(({ name }) => name === "Dlib") as EmbeddingModel;
const catalogue = new Catalogue([
  ...testModels,
  { ...dlib, name: "Other", title: "Another", embedding_size: 3 },
]);

const record = (changes: Partial<Allowlist>): Allowlist => ({
  version: 1,
  models: { disabled: [] },
  detectors: { disabled: [] },
  ...changes,
});

test("/capabilities shows what is enabled now, with the defaults and the longest vector", async (t) => {
  const { app, models } = testServer(t, { settings, catalogue });
  const shown = async () => {
    const { models, default_model, model_details, detectors, default_detector, limits } = (
      await app.inject("/capabilities")
    ).json();
    const details = Object.keys(model_details);
    return [models, default_model, details, detectors, default_detector, limits.vector_length];
  };
  const all = [["Dlib", "Other"], "Dlib", ["Dlib", "Other"], ["ssd", "tiny"], "ssd", 3];
  assert.deepEqual(await shown(), all);
  models.follow(
    record({ models: { disabled: ["Other"] }, detectors: { disabled: ["ssd"], default: "tiny" } }),
  );
  assert.deepEqual(await shown(), [["Dlib"], "Dlib", ["Dlib"], ["tiny"], "tiny", 2]);
  models.follow(record({ models: { disabled: [], default: "Other" } }));
  assert.deepEqual(await shown(), [["Dlib", "Other"], "Other", ["Dlib", "Other"], ["ssd", "tiny"], "ssd", 3]);
  models.follow(undefined);
  assert.deepEqual(await shown(), all);
});

test("a call under way ends as it began; the next one is refused, with the names that are allowed", async (t) => {
  const dispatched = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<Answer[]>();
  const { models, post } = testServer(t, {
    dispatch: () => {
      dispatched.resolve();
      return answered.promise;
    },
  });
  const body = { img: await base64Image(), detector_backend: "ssd" };
  const underWay = post("/represent", body);
  await Promise.race([dispatched.promise, underWay]);
  models.follow(record({ detectors: { disabled: ["ssd"], default: "tiny" } }));
  answered.resolve([facesAnswer([1, 0])]);
  const reply = await underWay;
  assert.deepEqual([reply.statusCode, reply.json().detector_backend], [200, "ssd"]);

  // The pool of the test has workers for ssd alone: a vector needs none.
  const next = await post("/verify", { img1: [1, 0], img2: [1, 0], detector_backend: "ssd" });
  const { error, detail } = next.json();
  assert.deepEqual(
    [next.statusCode, error, detail],
    [400, "detector_not_allowed", "detector_backend must be one of: tiny."],
  );
  const byDefault = await post("/verify", { img1: [1, 0], img2: [1, 0] });
  assert.deepEqual([byDefault.statusCode, byDefault.json().detector_backend], [200, "tiny"]);
});

test("a call is refused before its body is read if no worker has one of the enabled lanes", async (t) => {
  const { app, models, post } = testServer(t);
  models.follow(record({ detectors: { disabled: ["ssd"], default: "tiny" } }));
  const reply = await post("/represent", { img: await base64Image() });
  assert.deepEqual([reply.statusCode, reply.json().error], [503, "model_unavailable"]);
  assert.equal((await app.inject("/health")).statusCode, 503);
  models.follow(undefined);
  assert.equal((await app.inject("/health")).statusCode, 200);
});

test("the documents show the models that are enabled now", async (t) => {
  const { app, models } = testServer(t, { settings, catalogue });
  const guide = async () => (await app.inject("/docs/thresholds")).body;
  assert.match(await guide(), /Another/);
  models.follow(record({ models: { disabled: ["Other"] } }));
  assert.doesNotMatch(await guide(), /Another/);
});

test("the sample pair is compared anew with another default", async (t) => {
  const lanes = ["ssd", "tiny"].map((name) => ({ ...testPool.lanes[0]!, lane: `Dlib/${name}` }));
  const poolStates = () => [{ ...testPool, lanes } as typeof testPool];
  const { app, models } = testServer(t, { poolStates });
  const detector = async () => (await app.inject("/tester/sample-answer")).json().reply.detector_backend;
  assert.equal(await detector(), "ssd");
  models.follow(record({ detectors: { disabled: [], default: "tiny" } }));
  assert.equal(await detector(), "tiny");
});
