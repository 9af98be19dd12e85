import assert from "node:assert/strict";
import test from "node:test";
import type { ModelSelection } from "./allowlist.ts";
import { modelRows } from "./model-rows.ts";

const selection = (models: string[], detectors: string[]): ModelSelection => ({
  models: { names: models, default: models[0]! },
  detectors: { names: detectors, default: detectors[0]! },
});
const reply = (loaded: ModelSelection, enabled: ModelSelection) => ({
  ingress: "i",
  version: 1,
  loaded,
  enabled,
});

test("each name is listed once, with its state and how many ingresses have loaded it", () => {
  const loaded = selection(["Dlib"], ["ssd", "tiny"]);
  const enabled = selection(["Dlib"], ["ssd"]);
  assert.deepEqual(modelRows([reply(loaded, enabled), reply(loaded, loaded), reply(enabled, enabled)]), [
    { noun: "model", name: "Dlib", states: ["default"], loadedBy: 3 },
    { noun: "detector", name: "ssd", states: ["default"], loadedBy: 3 },
    { noun: "detector", name: "tiny", states: ["disabled", "enabled"], loadedBy: 2 },
  ]);
});
