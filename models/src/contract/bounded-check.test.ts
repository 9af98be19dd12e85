import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { test } from "node:test";
import { foreignContract, foreignRecogniser } from "../../testing/foreign-recogniser.ts";
import { adaptOnnx } from "./adapter.ts";
import { checkWithin } from "./bounded-check.ts";
import { checkRecogniser } from "./check.ts";

const onnx = adaptOnnx(foreignRecogniser(), foreignContract);

test("the process gives the embeddings and the sentences of the checks themselves", async () => {
  assert.deepEqual(await checkWithin(onnx, foreignContract), await checkRecogniser(onnx, foreignContract));
  const output = { ...foreignContract.output, length: 3 };
  await assert.rejects(checkWithin(onnx, { ...foreignContract, output }), /the contract says 3\./);
});

test("the process of the checks works in an empty folder", {
  skip: process.platform !== "linux",
}, async () => {
  const before = children();
  const checking = checkWithin(onnx, foreignContract);
  const [child] = children().difference(before);
  const folder = readlinkSync(`/proc/${child}/cwd`);
  assert.notEqual(folder, process.cwd());
  assert.deepEqual(readdirSync(folder), []);
  await checking;
  assert.ok(!existsSync(folder));
});

test("checks that do not end in time are one sentence", async () => {
  await assert.rejects(checkWithin(onnx, foreignContract, 1), {
    message: "Its checks did not end within 0.001 s: five runs of it, on two faces.",
  });
});

/** The processes that this one has started and that run. */
const children = (): Set<string> =>
  new Set(readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" "));
