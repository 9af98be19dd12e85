import assert from "node:assert/strict";
import { resolve } from "node:path";
import test from "node:test";
import { modelsFolder } from "@faceline/models/model-file";
import { type MeasureArguments, readArguments } from "./arguments.ts";

test("without options, the default model and detector are measured, aligned, for three rates", () => {
  assert.deepEqual(readArguments(["--pairs", "pairs.csv"]), {
    kind: "measure",
    source: { kind: "pairs", path: resolve("pairs.csv") },
    models: ["SFace"],
    detectors: ["auto"],
    align: true,
    wantedFmrs: [0.1, 0.01, 0.001],
    folder: modelsFolder,
    write: false,
  });
});

test("a rate is a percentage or a share, and the largest comes first", () => {
  const read = readArguments([
    "--pairs",
    "a",
    "--fmr",
    "0.1%",
    "--fmr",
    "0.02",
    "--fmr",
    "5%",
    "--fmr",
    "1e-6",
  ]);
  assert.ok("wantedFmrs" in read);
  assert.deepEqual(read.wantedFmrs, [0.05, 0.02, 0.001, 0.000001]);
});

test("all pairs are measured at rates that millions of pairs show", () => {
  const { source, wantedFmrs } = readArguments(["--people", "a"]) as MeasureArguments;
  assert.deepEqual(source, { kind: "people", path: resolve("a") });
  assert.deepEqual(wantedFmrs, [1e-3, 1e-4, 1e-5, 1e-6]);
});

test("what is wrong is said in a sentence", () => {
  const mistakeOf = (...args: string[]) => {
    const read = readArguments(args);
    return "mistake" in read ? read.mistake : assert.fail("the arguments were accepted");
  };
  assert.match(mistakeOf(), /^thresholds: which images\?/);
  assert.match(mistakeOf("--pairs", "a", "--people", "b"), /^thresholds: which images\?/);
  assert.match(mistakeOf("--pairs", "a", "--align", "maybe"), /^--align must be on or off/);
  for (const rate of ["1", "0", "60%", "-1%", "one", "."]) {
    assert.match(mistakeOf("--pairs", "a", `--fmr=${rate}`), /: write a rate between 0 and 50%/);
  }
  assert.match(mistakeOf("--pairs", "a", "--write"), /^--write takes one --fmr/);
  assert.match(mistakeOf("--pairs", "a", "--write", "--fmr=1%", "--align=off"), /aligned/);
  assert.match(mistakeOf("--pairs", "a", "--remove", "Dlib"), /^--remove measures and writes nothing/);
  assert.match(mistakeOf("--pairs", "a", "--wriet"), /^Unknown option '--wriet'/);
});
