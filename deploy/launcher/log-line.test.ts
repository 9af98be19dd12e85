import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { readableLogLine } from "./log-line.ts";

const readable = (record: object) => stripVTControlCharacters(readableLogLine(JSON.stringify(record)));
const common = {
  time: "2026-11-22T12:00:01.123Z",
  service: "faceline-batcher",
  version: "0.1.0",
  batcherId: "batcher-1f",
};

test("a log line is time, level, message and fields", () => {
  const record = {
    level: "warn",
    ...common,
    msg: "worker is silent",
    worker: "w-1",
    lanes: ["Dlib/ssd"],
    text: "a b",
  };
  assert.equal(
    readable(record),
    '12:00:01.123 warn  worker is silent  worker=w-1  lanes=["Dlib/ssd"]  text="a b"',
  );
});

test("a log line without a message has its fields alone", () => {
  assert.equal(readable({ level: "info", ...common, active: true }), "12:00:01.123 info  active=true");
});

test("other lines stay as they are", () => {
  for (const line of ["", "Debugger listening on ws://127.0.0.1:1/x", "{", '{"a":1}', '{"level":"info"}']) {
    assert.equal(readableLogLine(line), line);
  }
});
