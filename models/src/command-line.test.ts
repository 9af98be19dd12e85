import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "node:test";
import { readCommandLine } from "./command-line.ts";

test("a call has its verb, its folder and its bounds", () => {
  const call = readCommandLine(["pull", "a", "b", "--to", "x", "--accept-licence"]);
  assert.deepEqual(call, {
    verb: "pull",
    folder: resolve("x"),
    names: ["a", "b"],
    contract: undefined,
    from: undefined,
    bytesMax: 600e6,
    flags: { acceptLicence: true },
    gpuAction: "install",
  });
});

test("wrong arguments are a sentence", () => {
  for (const [args, sentence] of [
    [[], ""],
    [["bild"], "unknown verb: bild"],
    [["toString"], "unknown verb: toString"],
    [["list", "ssd"], "unexpected arguments: ssd"],
    [["list", "--accept-licence"], "list: it has no --accept-licence"],
    [["add", "a", "--from", "b"], "add: it has no --from"],
    [["pull"], "pull: which models? list shows them"],
    [["remove", "a", "b"], "remove: which model? one name at a time"],
    [["add", "a", "--max-megabytes", "0"], "--max-megabytes must be 1 to 2000"],
    [["pull", "ssd", "--remove"], "pull: it has no --remove"],
    [["gpu", "cuda"], "unexpected arguments: cuda"],
    [["gpu", "--list", "--verify"], "gpu: only one of --list, --verify"],
    [["add"], "add: which file? one .onnx file at a time"],
    [["add", "a.onnx"], "add: --contract names the file that describes the model"],
  ] as const) {
    assert.equal(readCommandLine([...args]), sentence);
  }
  const unknown = readCommandLine(["build", "--two", "x"]);
  assert.match(typeof unknown === "string" ? unknown : "", /^Unknown option '--two'/);
});
