import assert from "node:assert/strict";
import { test } from "node:test";
import { Catalogue } from "@faceline/models/catalogue";
import type { EmbeddingModel } from "@faceline/models/catalogue-entry";
import { base64Image, testModels, testServer } from "../../testing/server.ts";
import { EnabledModels } from "./enabled-models.ts";

const dlib = testModels.find(({ name }) => name === "SFace") as EmbeddingModel;
const other = { ...dlib, name: "Other", title: "Another", embedding_size: 3 };
const catalogue = new Catalogue([...testModels, other]);

test("/capabilities shows the models of the settings, with the defaults and the longest vector", async (t) => {
  const shown = async (settings: object) => {
    const { app } = testServer(t, { settings: { ...settings }, catalogue });
    const reply = (await app.inject("/capabilities")).json();
    const { models, default_model, detectors, default_detector, limits } = reply;
    return [models, default_model, detectors, default_detector, limits.vector_length];
  };
  assert.deepEqual(await shown({}), [["SFace"], "SFace", ["auto"], "auto", 2]);
  assert.deepEqual(await shown({ MODELS: "Other,SFace", DETECTORS: "blazeface" }), [
    ["Other", "SFace"],
    "Other",
    ["blazeface"],
    "blazeface",
    3,
  ]);
});

test("a name that is not enabled is refused with those that are", async (t) => {
  const { post } = testServer(t, { settings: { DETECTORS: "blazeface" } });
  const reply = await post("/verify", { img1: [1, 0], img2: [1, 0], detector_backend: "ssd" });
  const { error, detail } = reply.json();
  assert.deepEqual([reply.statusCode, error], [400, "detector_not_allowed"]);
  assert.equal(detail, "detector_backend must be one of: blazeface.");
});

test("a call is refused before its body is read if no worker has one of the enabled lanes", async (t) => {
  const { app, post } = testServer(t, { settings: { DETECTORS: "blazeface" } });
  const reply = await post("/represent", { img: await base64Image() });
  assert.deepEqual([reply.statusCode, reply.json().error], [503, "model_unavailable"]);
  assert.equal((await app.inject("/health")).statusCode, 503);
});

test("every name that the catalogue lacks is in one error", () => {
  const settings = { MODELS: ["None"], DETECTORS: ["ssd"] };
  assert.throws(() => new EnabledModels(catalogue, settings), /MODELS: the catalogue has no None/);
});
