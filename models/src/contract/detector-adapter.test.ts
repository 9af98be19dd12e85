// Covers the contracts of detectors: the adapter, the freed batch, the checks and the entry. The graphs are
// made up; conformance.test.ts runs the real YuNet.
import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { foreignDetector, priorContract, strideContract } from "../../testing/foreign-detector.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { addedFolder, readCatalogue } from "../catalogue.ts";
import { goldenFaces } from "../golden.ts";
import { createSession, Tensor } from "../onnxruntime.ts";
import { verifyModel } from "../verify.ts";
import { adaptedInput } from "./adapter.ts";
import { addModel } from "./add.ts";
import { adaptDetector, adaptedBoxes, adaptedScores } from "./detector-adapter.ts";
import { DetectorContract, rowsOf } from "./detector-contract.ts";
import { readContract } from "./read-contract.ts";

const sigmoid = { ...strideContract, decoder: { ...strideContract.decoder, activation: "sigmoid" as const } };
const softmax = { ...priorContract, decoder: { ...priorContract.decoder, activation: "softmax" as const } };

for (const [kind, contract] of Object.entries({
  strides: strideContract,
  sigmoid,
  priors: priorContract,
  softmax,
})) {
  test(`the adapted file gives the boxes and scores of the formula, alone and in a batch: ${kind}`, async () => {
    const foreign = foreignDetector(contract);
    const [face, other] = goldenFaces(contract.input.px);
    const images = [other, face, other];
    const { boxes, scores } = await adapted(contract, foreign, images);
    for (const [i, image] of images.entries()) {
      const expected = decode(contract, await rawOutputs(contract, foreign, image));
      const [boxWidth, count] = [boxes.length / images.length, scores.length / images.length];
      assert.ok(largestDifference(boxes.subarray(i * boxWidth, (i + 1) * boxWidth), expected.boxes) < 1e-5);
      assert.ok(largestDifference(scores.subarray(i * count, (i + 1) * count), expected.scores) < 1e-5);
    }
  });
}

test("an added detector is an entry of the catalogue, with its file and its licence", async (t) => {
  const folder = await temporaryFolder(t);
  const contract = { ...priorContract, landmark_box_scale: 1.2 };
  const added = await add(folder, contract);
  const model = (await readCatalogue(undefined, addedFolder(folder))).find("detector", "priors");
  assert.deepEqual(model, added);
  assert.deepEqual([model.selection, model.landmark_box_scale], [contract.selection, 1.2]);
  assert.deepEqual(
    model.tensors.outputs.map(({ shape }) => shape),
    [
      ["N", 672, 4],
      ["N", 672],
    ],
  );
  const files = await readdir(join(addedFolder(folder), "priors"));
  assert.deepEqual(files.toSorted(), ["LICENCE", "model.json", "network.onnx"]);
  assert.deepEqual(await verifyModel(folder, model), []);
});

test("a detector that is not what its contract says is one sentence, and leaves nothing", async (t) => {
  const folder = await temporaryFolder(t);
  const { outputs, decoder } = strideContract;
  const right = foreignDetector(strideContract);
  for (const [contract, onnx, sentence] of [
    [
      { ...strideContract, outputs: { ...outputs, boxes: ["b8", "b16", "box"] } },
      right,
      /^It has no output box; there is b8, b16, b32, c8/,
    ],
    [
      { ...strideContract, decoder: { ...decoder, prior_px: [[8, 12], [16], [32]] } },
      right,
      /^Its output b8 is \[1, 256, 4\]; the contract says \[N, 512, 4\]\.$/,
    ],
    [
      { ...strideContract, decoder: { ...decoder, variances: [1, 3] } },
      right,
      /^Its best box for a drawn face is .* are strides, priors and variances right\?$/,
    ],
    [strideContract, foreignDetector(strideContract, { nan: true }), /^It gives numbers that are not finite/],
    [
      strideContract,
      foreignDetector(strideContract, { blind: true }),
      /^Its scores for two drawn faces are 0\.00 and 0\.00, not above half of score_min: are mean, scale/,
    ],
    [sigmoid, right, /^It scores \d+ of 336 boxes around one drawn face as faces: is activation right\?$/],
    [
      strideContract,
      foreignDetector({ ...strideContract, decoder: { ...decoder, activation: "sigmoid" } }),
      /^Its scores are -?[\d.]+ to [\d.]+ and not 0 to 1: is activation right\?$/,
    ],
    [
      strideContract,
      foreignDetector(strideContract, { oneAtATime: true }),
      /^It takes one image at a time: a batch of 3 failed\. Export it with a dynamic batch dimension\. /,
    ],
    [{ ...strideContract, name: "SSD" }, right, /^The name SSD is taken by a model of the catalogue/],
  ] as const) {
    await assert.rejects(add(folder, contract as DetectorContract, onnx), { message: sentence });
    assert.deepEqual(await readdir(folder), []);
  }
});

test("a contract of a detector lists its mistakes", async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, "contract.json");
  const decoder = { ...priorContract.decoder, prior_px: [[16]], face_class: 2, activation: "softmax" };
  const outputs = { boxes: ["a", "b"], classes: ["c"] };
  const input = { ...priorContract.input, px: 100 };
  await writeFile(path, JSON.stringify({ ...priorContract, decoder, outputs, input, thresholds: {} }));
  await assert.rejects(readContract(path), (error: Error) => {
    for (const mistake of [/Unrecognized key: "thresholds"/]) assert.match(error.message, mistake);
    return true;
  });
  await writeFile(path, JSON.stringify({ ...priorContract, decoder, outputs, input }));
  await assert.rejects(readContract(path), (error: Error) => {
    for (const mistake of [
      /decoder\.prior_px: must have a list for each stride/,
      /input\.px: must be a multiple of each stride/,
      /decoder\.face_class: must be one of the classes/,
      /outputs\.boxes: must be one tensor, or one for each stride/,
    ]) {
      assert.match(error.message, mistake);
    }
    return true;
  });
});

function add(folder: string, contract: DetectorContract, onnx: Uint8Array = foreignDetector(contract)) {
  return addModel(folder, onnx, { contract, licenceText: "as you like" });
}

async function adapted(contract: DetectorContract, onnx: Uint8Array, images: readonly Uint8Array[]) {
  const { px } = contract.input;
  const session = await createSession(adaptDetector(onnx, contract));
  const image = new Tensor("uint8", new Uint8Array(Buffer.concat(images)), [images.length, px, px, 3]);
  const outputs = await session.run({ [adaptedInput]: image });
  await session.release();
  const [boxes, scores] = [adaptedBoxes, adaptedScores].map((name) => outputs[name]!.data as Float32Array);
  return { boxes: boxes!, scores: scores! };
}

/** Returns the outputs of the foreign file itself for an image, by their names. */
async function rawOutputs(contract: DetectorContract, onnx: Uint8Array, image: Uint8Array) {
  const { px, mean } = contract.input;
  const plane = px * px;
  const pixels = new Float32Array(3 * plane);
  for (let i = 0; i < plane; i++) {
    // Blue, green, red.
    for (const c of [0, 1, 2])
      pixels[c * plane + i] = image[3 * i + 2 - c]! - (typeof mean === "number" ? mean : mean[c]!);
  }
  const session = await createSession(onnx);
  const outputs = await session.run({ input: new Tensor("float32", pixels, [1, 3, px, px]) });
  await session.release();
  return (names: readonly string[]) => names.flatMap((name) => [...(outputs[name]!.data as Float32Array)]);
}

/** The formula in plain numbers, row by row. */
function decode(contract: DetectorContract, raw: (names: readonly string[]) => number[]) {
  const {
    input: { px },
    outputs,
    decoder,
  } = contract;
  const { activation, classes, face_class, variances } = decoder;
  const [encoded, classRows, objects] = [outputs.boxes, outputs.classes, outputs.objects ?? []].map(raw) as [
    number[],
    number[],
    number[],
  ];
  const logistic = (x: number) => (activation === "sigmoid" ? 1 / (1 + Math.exp(-x)) : x);
  const [boxes, scores]: [number[], number[]] = [[], []];
  let row = 0;
  for (const [i, count] of rowsOf(contract).entries()) {
    const [stride, priors] = [decoder.strides[i]!, decoder.prior_px[i]!];
    for (let at = 0; at < count; at++, row++) {
      const [cell, side] = [Math.floor(at / priors.length), priors[at % priors.length]!];
      const half = decoder.prior_at === "centre" ? stride / 2 : 0;
      const [dx = 0, dy = 0, logW = 0, logH = 0] = encoded.slice(4 * row, 4 * row + 4);
      const x = stride * (cell % (px / stride)) + half + dx * variances[0] * side;
      const y = stride * Math.floor(cell / (px / stride)) + half + dy * variances[0] * side;
      const [w, h] = [side * Math.exp(logW * variances[1]), side * Math.exp(logH * variances[1])];
      boxes.push((y - h / 2) / px, (x - w / 2) / px, (y + h / 2) / px, (x + w / 2) / px);
      const own = classRows.slice(classes * row, classes * (row + 1));
      const sum = own.reduce((total, each) => total + Math.exp(each), 0);
      const face = activation === "softmax" ? Math.exp(own[face_class]!) / sum : logistic(own[face_class]!);
      scores.push(outputs.objects === undefined ? face : Math.sqrt(face * logistic(objects[row]!)));
    }
  }
  return { boxes, scores };
}

function largestDifference(numbers: Float32Array, expected: readonly number[]): number {
  assert.equal(numbers.length, expected.length);
  return Math.max(...expected.map((each, i) => Math.abs(each - numbers[i]!)));
}
