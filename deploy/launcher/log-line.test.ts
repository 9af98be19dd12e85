import assert from "node:assert/strict";
import { test } from "node:test";
import { warningOf } from "./log-line.ts";

const common = {
  time: "2026-11-22T12:00:01.123Z",
  service: "faceline-batcher",
  version: "0.1.0",
  batcherId: "batcher-1f",
};

test("a warning is a sentence with its fields", () => {
  const record = { ...common, msg: "worker is silent", worker: "w-1", lanes: ["Dlib/ssd"], text: "a b" };
  assert.equal(
    warningOf(JSON.stringify({ level: "warn", ...record })),
    'warning: worker is silent (worker=w-1, lanes=["Dlib/ssd"], text="a b")',
  );
  assert.equal(
    warningOf(JSON.stringify({ level: "fatal", ...common, msg: "cannot continue" })),
    "fatal: cannot continue",
  );
});

test("information and what is no log line are in the log file alone", () => {
  assert.equal(warningOf(JSON.stringify({ level: "info", ...common, active: true })), undefined);
  for (const line of ["", "Debugger listening on ws://127.0.0.1:1/x", "{", '{"a":1}', '{"level":"warn"}']) {
    assert.equal(warningOf(line), undefined);
  }
});
