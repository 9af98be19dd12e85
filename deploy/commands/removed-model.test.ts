import assert from "node:assert/strict";
import test from "node:test";
import { loadedSentence } from "./removed-model.ts";

const selection = (models: string[]) => ({
  models: { names: models, default: models[0]! },
  detectors: { names: ["ssd"], default: "ssd" },
});
const reply = (models: string[]) => ({
  ingress: "i",
  version: 1,
  loaded: selection(models),
  enabled: selection(["Dlib"]),
});

test("after a removal the ingresses that have the model are counted, whether it is enabled or not", () => {
  const replies = [reply(["Dlib", "Own"]), reply(["Dlib"])];
  assert.equal(
    loadedSentence("Own", replies),
    "1 running ingress has Own loaded, as may workers; they keep it until they restart.",
  );
  assert.equal(loadedSentence("Other", replies), undefined);
  assert.equal(loadedSentence("Own", []), undefined);
});
