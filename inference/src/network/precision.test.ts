import assert from "node:assert/strict";
import { test } from "node:test";
import { readCatalogue } from "@faceline/models/catalogue";
import type { Model } from "@faceline/models/catalogue-entry";
import { PrecisionSetting, precisionFor, requiresInt8 } from "./precision.ts";

const { models } = await readCatalogue();
function named(name: string): Model {
  return models.find((model) => model.name === name)!;
}
function setting(text: string) {
  return PrecisionSetting.parse(text);
}

test("auto is int8 on a CPU where there is an int8 build, and float elsewhere", () => {
  assert.equal(precisionFor(named("Dlib"), setting("auto"), "cpu"), "int8");
  for (const name of ["blazeface", "landmarks-68"])
    assert.equal(precisionFor(named(name), setting("auto"), "cpu"), "float32");
  assert.equal(precisionFor(named("Dlib"), setting("auto"), "cuda"), "float32");
});

test("a choice may be for all models or for one", () => {
  const mixed = setting("int8, ssd=float, Dlib=auto");
  assert.equal(precisionFor(named("ssd"), mixed, "cpu"), "float32");
  assert.equal(precisionFor(named("Dlib"), mixed, "cpu"), "int8");
  assert.deepEqual(
    ["ssd", "MobileFaceNet", "Dlib"].map((name) => requiresInt8(named(name), mixed)),
    [false, true, false],
  );
  assert.equal(precisionFor(named("Dlib"), setting("float"), "cpu"), "float32");
});

test("int8 that cannot run is an error where it was required", () => {
  assert.throws(
    () => precisionFor(named("blazeface"), setting("blazeface=int8"), "cpu"),
    /blazeface in int8, .* no int8 build/,
  );
  assert.throws(() => precisionFor(named("Dlib"), setting("int8"), "cuda"), /which cuda does not run/);
  // A choice for all models holds for those that have an int8 build.
  assert.equal(precisionFor(named("blazeface"), setting("int8"), "cpu"), "float32");
});

test("an unknown choice is rejected", () => {
  for (const text of ["fast", "ssd=fp16", "ssd=int8=int8", ""]) {
    assert.ok(!PrecisionSetting.safeParse(text).success, text);
  }
});
