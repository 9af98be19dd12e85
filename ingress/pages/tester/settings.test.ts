import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings, type TesterSettings, writeSettings } from "./settings.ts";

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
