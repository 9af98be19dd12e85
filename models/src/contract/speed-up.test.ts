import assert from "node:assert/strict";
import { test } from "node:test";
import { foreignContract, foreignRecogniser } from "../../testing/foreign-recogniser.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { cosineDistance } from "../golden.ts";
import { readModel, sha256 } from "../model-file.ts";
import { adaptOnnx } from "./adapter.ts";
import { addRecogniser } from "./add.ts";
import { checkRecogniser } from "./check.ts";
import { speedUp } from "./speed-up.ts";

const slow = adaptOnnx(foreignRecogniser({ slow: true }), foreignContract);
const check = (onnx: Uint8Array) => checkRecogniser(onnx, foreignContract);
const flushed = "192 of 7,814 weights are below 2^-63";

test("what makes a network slow is changed, said and in the file that runs, whose SHA-256 the entry has", async (t) => {
  const folder = await temporaryFolder(t);
  const printed: string[] = [];
  const stated = { contract: foreignContract, licenceText: "as you like" };
  const model = await addRecogniser(folder, foreignRecogniser({ slow: true }), stated, undefined, (line) =>
    printed.push(line),
  );
  assert.deepEqual(printed, [
    `${flushed} and are 0 now, because CPUs are slow with them: embeddings stay as they were.`,
  ]);
  assert.deepEqual(model.provenance.slice(-1), printed);
  assert.ok(model.role === "embedding");
  const runs = await readModel(folder, model, model.builds[0]!);
  assert.equal(model.builds[0]!.sha256, sha256(runs));
  assert.notEqual(sha256(runs), sha256(slow));
  const [before] = await check(slow);
  assert.ok(cosineDistance(model.golden!.embeddings[0]!, before!) < 1e-6);
});

test("a network without any of it stays as it is, and is checked once", async () => {
  const onnx = adaptOnnx(foreignRecogniser(), foreignContract);
  let checks = 0;
  const faster = await speedUp(onnx, (file) => {
    checks++;
    return check(file);
  });
  assert.equal(faster.onnx, onnx);
  assert.deepEqual([faster.report, checks], [[], 1]);
});

test("the weights are left where embeddings would change by one bit, or where it does not run any more", async () => {
  const original = await check(slow);
  for (const after of [original.map((row) => row.map((number) => number + 1e-7)), undefined]) {
    const answers = [original, after];
    const faster = await speedUp(slow, async () => answers.shift() ?? Promise.reject(new Error("it ended")));
    assert.equal(faster.onnx, slow);
    assert.match(faster.report[0]!, /^192 of 7,814 weights .* they are left/);
  }
});
