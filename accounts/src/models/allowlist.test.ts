import assert from "node:assert/strict";
import test from "node:test";
import { type Allowlist, enabledModels, type ModelSelection } from "./allowlist.ts";

const loaded: ModelSelection = {
  models: { names: ["Dlib", "SFace"], default: "Dlib" },
  detectors: { names: ["ssd", "tiny"], default: "ssd" },
};
const allowlist = (changes: Partial<Allowlist>): Allowlist => ({
  version: 1,
  models: { disabled: [] },
  detectors: { disabled: [] },
  ...changes,
});

test("without a record everything that is loaded is enabled, with the defaults of the settings", () => {
  assert.deepEqual(enabledModels(loaded, undefined), { enabled: loaded, ignored: [] });
});

test("a record disables names and sets defaults; what it does not name stays as the settings say", () => {
  const record = allowlist({ models: { disabled: ["Dlib"], default: "SFace" } });
  assert.deepEqual(enabledModels(loaded, record), {
    enabled: { ...loaded, models: { names: ["SFace"], default: "SFace" } },
    ignored: [],
  });
});

test("names that are not loaded here are ignored, with a sentence for each", () => {
  const record = allowlist({
    models: { disabled: ["Facenet"], default: "ArcFace" },
    detectors: { disabled: ["mtcnn"] },
  });
  assert.deepEqual(enabledModels(loaded, record), {
    enabled: loaded,
    ignored: [
      "the model Facenet is disabled, but not loaded here",
      "the default model ArcFace is not enabled here: Dlib is the default",
      "the detector mtcnn is disabled, but not loaded here",
    ],
  });
});

test("an ingress whose models are all disabled goes on with its default, not with an empty list", () => {
  const record = allowlist({ detectors: { disabled: ["tiny", "ssd"], default: "mtcnn" } });
  const { enabled, ignored } = enabledModels(loaded, record);
  assert.deepEqual(enabled.detectors, { names: ["ssd"], default: "ssd" });
  assert.deepEqual(ignored, [
    "every detector that is loaded here is disabled: ssd stays enabled",
    "the default detector mtcnn is not enabled here: ssd is the default",
  ]);
});

test("a default of the settings that is disabled is replaced by the first name that is enabled", () => {
  const record = allowlist({ models: { disabled: ["Dlib"] } });
  assert.deepEqual(enabledModels(loaded, record).enabled.models, { names: ["SFace"], default: "SFace" });
});
