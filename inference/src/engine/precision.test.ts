import assert from "node:assert/strict";
import { test } from "node:test";
import { type Model, readCatalogue } from "@faceline/models/catalogue";
import { mustBeInt8, PrecisionWishes, precisionFor } from "./precision.ts";

const { models } = await readCatalogue();
const named = (name: string): Model => models.find((model) => model.name === name)!;
const wishes = (text: string) => PrecisionWishes.parse(text);

test("auto is int8 on a CPU, where there is such a build, and float elsewhere", () => {
  assert.equal(precisionFor(named("Dlib"), wishes("auto"), "cpu"), "int8");
  assert.equal(precisionFor(named("tiny"), wishes("auto"), "cpu"), "float32");
  assert.equal(precisionFor(named("Dlib"), wishes("auto"), "cuda"), "float32");
});

test("a wish may be for all models, or for one", () => {
  const mixed = wishes("int8, ssd=float, Dlib=auto");
  assert.equal(precisionFor(named("ssd"), mixed, "cpu"), "float32");
  assert.equal(precisionFor(named("landmarks-68"), mixed, "cpu"), "int8");
  assert.deepEqual(
    ["ssd", "landmarks-68", "Dlib"].map((name) => mustBeInt8(named(name), mixed)),
    [false, true, false],
  );
  assert.equal(precisionFor(named("Dlib"), wishes("float"), "cpu"), "float32");
});

test("int8 that cannot be had is an error where it was asked for", () => {
  assert.throws(() => precisionFor(named("tiny"), wishes("tiny=int8"), "cpu"), /tiny in int8, .* no build/);
  assert.throws(() => precisionFor(named("Dlib"), wishes("int8"), "cuda"), /which cuda does not run/);
  // For all models means: for those that have the choice.
  assert.equal(precisionFor(named("tiny"), wishes("int8"), "cpu"), "float32");
});

test("a wish that is none is refused", () => {
  for (const text of ["fast", "ssd=fp16", "ssd=int8=int8", ""]) {
    assert.ok(!PrecisionWishes.safeParse(text).success, text);
  }
});
