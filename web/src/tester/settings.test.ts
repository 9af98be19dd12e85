import assert from "node:assert/strict";
import { test } from "node:test";
import {
  readSettings,
  readThreshold,
  type TesterSettings,
  thresholdFault,
  writeSettings,
  readSamples,
} from "./settings.ts";

test("an address gives back the settings that were written to it", () => {
  const all: TesterSettings[] = [
    { call: "verify" },
    { call: "compare", model: "A&B", detector: "ssd", metric: "euclidean", threshold: 0.5 },
    { call: "represent", threshold: 0 },
  ];
  for (const settings of all) assert.deepEqual(readSettings(writeSettings(settings)), settings);
  assert.equal(writeSettings({ call: "verify" }), "");
});

test("what an address holds beside it is left out", () => {
  const settings = readSettings("?call=delete&model=&threshold=-1&threshold=2&x=1");
  assert.deepEqual(settings, { call: "verify" });
});

test("a threshold is read with a point or a comma, and nothing else is one", () => {
  assert.deepEqual([readThreshold("0.05"), readThreshold(" 0,05 "), readThreshold("0")], [0.05, 0.05, 0]);
  for (const text of ["", "-1", "1.000,5", "x", "Infinity"])
    assert.equal(readThreshold(text), undefined, text);
});

test("what is no threshold has a sentence, and an empty field is the model's own", () => {
  for (const text of ["", " ", "0", "0.05", "0,05"]) assert.equal(thresholdFault(text), undefined, text);
  for (const text of ["abc", "-1", "1.000,5"])
    assert.equal(thresholdFault(text), "The threshold must be a number of 0 or more.", text);
});

test("a threshold that no distance exceeds, such as a percentage, has a sentence with the range", () => {
  for (const text of ["80", "2,5", "2.01", "1e300"]) {
    assert.equal(thresholdFault(text, 2), "The threshold is a distance: it must be between 0 and 2.", text);
  }
  for (const text of ["", "0", "0,05", "2"]) assert.equal(thresholdFault(text, 2), undefined, text);
});

test("a link holds the samples that are shown, unless they are the usual ones", () => {
  const known = ["dia-1", "dia-2", "chi-1", "ada-1"];
  const link = writeSettings({ call: "verify", threshold: 0.05 }, ["ada-1", "chi-1"]);
  assert.equal(link, "?threshold=0.05&samples=ada-1.chi-1");
  assert.deepEqual(readSamples(link, known), ["ada-1", "chi-1"]);
  assert.equal(writeSettings({ call: "verify" }, ["dia-1", "dia-2"]), "");
  assert.deepEqual(readSamples("", known), ["dia-1", "dia-2"]);
  assert.equal(readSamples("?call=compare", known).length, 6);
  assert.deepEqual(readSamples("?call=represent&samples=..%2Fetc.none", known), ["dia-1"]);
  assert.ok(readSamples(`?samples=${"ada-1.".repeat(5_000)}`, known).length <= 9);
});
