import assert from "node:assert/strict";
import test from "node:test";
import { laneId } from "@faceline/contracts/wire/ids";
import type { LoadedLane } from "@faceline/contracts/wire/report";
import { readCatalogue } from "@faceline/models/catalogue";
import { laneModels } from "./engine/lane-models.ts";
import { LaneMemory } from "./lane-memory.ts";
import { PrecisionSetting } from "./network/precision.ts";

const [ssd, tiny] = [laneId("Dlib", "ssd"), laneId("Dlib", "tiny")];
const catalogue = await readCatalogue();

function openMemory(executionProvider: "cpu" | "cuda" = "cpu") {
  const precision = PrecisionSetting.parse("auto");
  return new LaneMemory(laneModels(catalogue, [ssd, tiny]), { precision, executionProvider });
}

/** Files of a model: all input sides of the cascade, or the largest. */
function bytes(name: string, precision: string, sides: "all" | "own" = "all"): number {
  const model = catalogue.models.find((each) => each.name === name)!;
  const builds = model.builds.filter(
    (build) => build.precision === precision && (sides === "all" || build.input_px === model.input_px),
  );
  return builds.reduce((sum, build) => sum + build.bytes, 0);
}

test("a model that two lanes share counts once, with the networks of all sides that it searches", () => {
  const memory = openMemory();
  const shared = bytes("Dlib", "int8") + bytes("landmarks-68", "float32");
  assert.equal(memory.bytesOf([ssd]), shared + bytes("ssd", "int8"));
  assert.equal(memory.bytesOf([ssd, tiny]), shared + bytes("ssd", "int8") + bytes("tiny", "float32"));
});

test("a model that fell back to float counts with its larger file, once its lane was loaded", () => {
  const memory = openMemory();
  const before = memory.bytesOf([ssd]);
  memory.learn({ precisions: [{ model: "Dlib", precision: "float32" }] } as LoadedLane);
  assert.equal(memory.bytesOf([ssd]), before - bytes("Dlib", "int8") + bytes("Dlib", "float32"));
});

test("on a GPU, the network of the full resolution is the only one", () => {
  assert.equal(
    openMemory("cuda").bytesOf([ssd]),
    bytes("Dlib", "float32") + bytes("landmarks-68", "float32") + bytes("ssd", "float32", "own"),
  );
});

test("a bound that a lane exceeds alone, or all at the start together, is one sentence", () => {
  const memory = openMemory();
  assert.throws(() => memory.requireRoom(10, []), {
    message: "MODELS_MEMORY_MIB=10 is too little for the lane Dlib/ssd, which takes 24 MiB",
  });
  memory.requireRoom(24, [ssd]);
  assert.throws(() => memory.requireRoom(24, [ssd, tiny]), {
    message:
      "MODELS_MEMORY_MIB=24 is too little for all lanes of MODELS and DETECTORS, which take 25 MiB; raise it, " +
      "or set MODELS_LOAD=first_call, with which lanes leave again",
  });
  memory.requireRoom(24, []);
});
