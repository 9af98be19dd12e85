import assert from "node:assert/strict";
import test from "node:test";
import { readConfig } from "./config.ts";
import { lanesOf, ModelsConfig } from "./models-config.ts";

const read = (env: Record<string, string>) => readConfig(ModelsConfig, env);

test("a lane is each pair of a model and a detector of the two lists", () => {
  assert.deepEqual(lanesOf(read({})), ["SFace/auto"]);
  const settings = read({ MODELS: " Dlib , MobileFaceNet", DETECTORS: "ssd,auto" });
  assert.deepEqual(lanesOf(settings), ["Dlib/ssd", "Dlib/auto", "MobileFaceNet/ssd", "MobileFaceNet/auto"]);
});

test("every wrong name of the lists is reported, and names of a lane are no names of a model", () => {
  assert.throws(() => read({ MODELS: "Dlib/ssd,Dlib,Dlib,", DETECTORS: "ssd;tiny" }), {
    message: [
      "settings:",
      '  MODELS: "Dlib/ssd" must be a name from the catalogue',
      "  MODELS: Dlib is in the list twice",
      '  MODELS: "" must be a name from the catalogue',
      '  DETECTORS: "ssd;tiny" must be a name from the catalogue',
    ].join("\n"),
  });
});
