import assert from "node:assert/strict";
import { test } from "node:test";
import { CapabilitiesReply } from "@faceline/contracts/capabilities";
import { stage } from "../stage.ts";

test("GET /capabilities: what is enabled, what of it is alive, and the limits, without a key", async (t) => {
  const reply = await stage(t, { settings: { FACES_MAX: "7" } }).app.inject("/capabilities");
  assert.equal(reply.statusCode, 200);
  const shown = CapabilitiesReply.strict().parse(reply.json());
  assert.deepEqual([shown.models, shown.default_model], [["Dlib"], "Dlib"]);
  assert.deepEqual([shown.detectors, shown.default_detector], [["ssd", "tiny"], "ssd"]);
  const { status, batch_max, execution_provider, license, thresholds } = shown.model_details["Dlib"]!;
  assert.deepEqual([status, batch_max, execution_provider, license], ["ready", 8, "cpu", "MIT"]);
  assert.equal(thresholds.cosine, 0.1);
  assert.equal(shown.detector_details["ssd"]?.status, "ready");
  assert.equal(shown.detector_details["tiny"]?.status, "unavailable");
  assert.equal(shown.limits.faces, 7);
  assert.equal(shown.features.thresholds_unaligned, "unmeasured");
});

test("GET /capabilities: a model without a worker is unavailable", async (t) => {
  const reply = await stage(t, { poolStates: () => [] }).app.inject("/capabilities");
  const { status, batch_max, execution_provider } = reply.json().model_details.Dlib;
  assert.deepEqual([status, batch_max, execution_provider], ["unavailable", null, null]);
});

test("a model that is enabled but not in the catalogue stops the start", (t) => {
  const settings = { MODELS_ENABLED: "Dlib,Facenet" };
  assert.throws(() => stage(t, { settings }), /MODELS_ENABLED: the catalogue has no Facenet/);
});
