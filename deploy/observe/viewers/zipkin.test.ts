import assert from "node:assert/strict";
import test from "node:test";
import { zipkinProgram } from "./zipkin.ts";

test("Zipkin gets nothing of the environment but what Java needs", () => {
  process.env["STORAGE_TYPE"] = "elasticsearch";
  const { env } = zipkinProgram({ java: "java", jar: "j", port: 1 });
  delete process.env["STORAGE_TYPE"];
  assert.deepEqual(Object.keys(env), ["PATH", "HOME"]);
});
