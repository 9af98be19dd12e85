import assert from "node:assert/strict";
import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { foreignContract, foreignRecogniser } from "../../testing/foreign-recogniser.ts";
import { secretReader } from "../../testing/hostile-networks.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { addedFolder, readCatalogue } from "../catalogue.ts";
import { cosineDistance, goldenFaces } from "../golden.ts";
import { modelFile, readModel } from "../model-file.ts";
import { Message } from "../onnx/protobuf.ts";
import { readFields } from "../onnx/reader.ts";
import { createSession, Tensor } from "../onnxruntime.ts";
import { leftOverMs } from "../staging-folder.ts";
import { verifyModel } from "../verify.ts";
import { addRecogniser } from "./add.ts";
import type { Contract } from "./contract.ts";
import { readOnnxFile } from "./onnx-file.ts";
import { readContract } from "./read-contract.ts";

test("an added recogniser is an entry of the catalogue, with its file, its licence and golden embeddings", async (t) => {
  const folder = await temporaryFolder(t);
  const added = await add(folder);
  const { models } = await readCatalogue(undefined, addedFolder(folder));
  const model = models.find(({ name }) => name === "Foreign");
  assert.deepEqual(model, added);
  assert.ok(model?.role === "embedding");
  assert.deepEqual(model.thresholds, { cosine: 0.5, euclidean: 1, euclidean_l2: 1 });
  assert.equal(model.golden!.embeddings[1]!.length, 16);
  assert.deepEqual((await readdir(join(addedFolder(folder), "foreign"))).toSorted(), [
    "LICENCE",
    "model.json",
    "network.onnx",
  ]);
  assert.equal(await readFile(join(addedFolder(folder), "foreign/LICENCE"), "utf8"), "as you like");
  assert.deepEqual(await verifyModel(folder, model), []);
});

test("the adapted file gives what the foreign one gives for the same face, at length 1", async (t) => {
  const folder = await temporaryFolder(t);
  const model = await add(folder);
  assert.ok(model.role === "embedding");
  const [face] = goldenFaces(112);
  const pixels = new Float32Array(3 * 112 * 112);
  // Blue, green, red; a plane each.
  for (const [plane, [channel, mean]] of [
    [2, 104],
    [1, 117],
    [0, 123],
  ].entries()) {
    for (let i = 0; i < 112 * 112; i++)
      pixels[plane * 112 * 112 + i] = (face[3 * i + channel!]! - mean!) / 128;
  }
  const session = await createSession(foreignRecogniser());
  const data = new Tensor("float32", pixels, [1, 3, 112, 112]);
  const expected = (await session.run({ data }))["fc1"]!.data as Float32Array;
  await session.release();
  const golden = model.golden!.embeddings[0]!;
  assert.ok(cosineDistance(golden, expected) < 1e-6);
  assert.ok(Math.abs(Math.hypot(...golden) - 1) < 1e-5);
});

test("a file that is not what the contract says is one sentence, and leaves nothing", async (t) => {
  const folder = await temporaryFolder(t);
  const { output, input } = foreignContract;
  const unknownOperator = Buffer.from(foreignRecogniser());
  unknownOperator.set(Buffer.from("Rolu"), unknownOperator.indexOf("Relu"));
  for (const [onnx, changes, sentence] of [
    [Buffer.from("<html>"), {}, "It is not an ONNX file."],
    [
      foreignRecogniser({ px: 160 }),
      {},
      "Its input is [1, 3, 160, 160]; the contract says NCHW of 112 px: [N, 3, 112, 112].",
    ],
    [
      foreignRecogniser(),
      { input: { ...input, layout: "NHWC" } },
      "Its input is [1, 3, 112, 112]; the contract says NHWC of 112 px: [N, 112, 112, 3].",
    ],
    [
      foreignRecogniser(),
      { input: { ...input, type: "uint8" } },
      "Its input does not take uint8, which the contract says: element type 1.",
    ],
    [
      foreignRecogniser(),
      { input: { ...input, name: "image" } },
      "Its input is data; the contract says image.",
    ],
    [
      foreignRecogniser(),
      { output: { ...output, name: "embedding" } },
      "It has no output embedding; there is fc1.",
    ],
    [
      foreignRecogniser({ twoOutputs: true }),
      { output: { length: 16 } },
      "It has 2 outputs (fc1, sum): the contract must name one.",
    ],
    [
      foreignRecogniser({ length: 8 }),
      { output: { length: 16 } },
      "Its output fc1 is [1, 8]; the contract says 16 numbers a face.",
    ],
    [foreignRecogniser({ nan: true }), {}, "It gives numbers that are not finite for a synthetic face."],
    [
      foreignRecogniser({ constant: true }),
      {},
      "It gives the same embedding for two different faces: are mean, scale, layout and colour order right?",
    ],
    [
      foreignRecogniser({ oneAtATime: true }),
      {},
      /^It takes one face at a time: a batch of 3 failed\. Export it with a dynamic batch dimension\. /,
    ],
    [
      foreignRecogniser(),
      { name: "dlib" },
      "The name dlib is taken by a model of the catalogue: choose another one.",
    ],
    [
      secretReader("package.json", 16),
      { input: { ...input, name: "x" }, output: { name: "emb", length: 18 } },
      'It keeps the weights "secret" in another file: export it into one file.',
    ],
    [unknownOperator, {}, /^Its node "relu" is the operator "Rolu"/],
  ] as const) {
    await assert.rejects(add(folder, onnx, changes), { message: sentence });
    assert.deepEqual(await readdir(folder), []);
  }
});

test("a file that lists its constants as inputs too, as old exporters did, is added", async (t) => {
  const folder = await temporaryFolder(t);
  const [graph] = [...readFields(foreignRecogniser())].filter(({ field }) => field === 7);
  const name = new Message().text(1, "filters");
  const type = new Message().message(1, new Message().int(1, 1));
  const constants = new Message().message(11, name.message(2, type)).encode();
  const model = new Message();
  for (const each of readFields(foreignRecogniser())) {
    if (each.field === 7) model.bytes(7, Buffer.concat([graph!.value as Uint8Array, constants]));
    else model.field(each);
  }
  const added = await add(folder, model.encode());
  const plain = await add(await temporaryFolder(t));
  assert.ok(added.role === "embedding" && plain.role === "embedding");
  // Constants that could be replaced are not folded: the last digit differs.
  const [one, other] = [added, plain].map(({ golden }) => golden!.embeddings[0]!);
  assert.ok(cosineDistance(one!, other!) < 1e-6);
});

test("what a killed command has left is no model, and a later one removes it", async (t) => {
  const folder = await temporaryFolder(t);
  const left = join(addedFolder(folder), ".add-aaaaaa");
  await mkdir(left, { recursive: true });
  await readCatalogue(undefined, addedFolder(folder));
  const longAgo = new Date(Date.now() - 2 * leftOverMs);
  await utimes(left, longAgo, longAgo);
  await add(folder);
  assert.deepEqual(await readdir(addedFolder(folder)), ["foreign"]);
});

test("a name can be added once", async (t) => {
  const folder = await temporaryFolder(t);
  await add(folder);
  const before = await readdir(folder, { recursive: true });
  await assert.rejects(
    add(folder, foreignRecogniser(), { name: "FOREIGN" }),
    /^Error: The name FOREIGN is taken/,
  );
  assert.deepEqual(await readdir(folder, { recursive: true }), before);
});

test("a contract lists its mistakes, and needs the text of the licence", async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, "contract.json");
  const written = async (contract: unknown) => {
    await writeFile(path, typeof contract === "string" ? contract : JSON.stringify(contract));
    return readContract(path);
  };
  await assert.rejects(readContract(path), { message: `The contract ${path} cannot be read.` });
  await assert.rejects(written("{"), { message: `The contract ${path} is not JSON.` });
  const { licenses: _, ...unlicensed } = foreignContract;
  await assert.rejects(written({ ...unlicensed, name: "../a" }), (error: Error) => {
    assert.match(error.message, /^The contract .* is not complete:\n {2}name: must be up to 64 letters/);
    assert.match(error.message, /\n {2}licenses: /);
    return true;
  });
  const noText = `The contract ${path} needs the text of the licence: ${folder}/LICENCE.txt is not there, or empty.`;
  await assert.rejects(written(foreignContract), { message: noText });
  await writeFile(join(folder, "LICENCE.txt"), " \n");
  await assert.rejects(written(foreignContract), { message: noText });
  await writeFile(join(folder, "LICENCE.txt"), "as you like");
  assert.deepEqual(await written(foreignContract), { contract: foreignContract, licenceText: "as you like" });
});

test("a file that is absent or too large is not read", async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, "a.onnx");
  await assert.rejects(readOnnxFile(path, 10), { message: `${path} cannot be read.` });
  await writeFile(path, "x".repeat(11));
  await assert.rejects(
    readOnnxFile(path, 10),
    /has 0\.0 MB, more than 0\.0 MB: --max-megabytes allows more\.$/,
  );
});

test("verify notices a file that was exchanged, and one that gives other embeddings", async (t) => {
  const folder = await temporaryFolder(t);
  const model = await add(folder);
  assert.ok(model.role === "embedding");
  const [first, second] = model.golden!.embeddings;
  const golden = { ...model.golden!, embeddings: [second!, first!] };
  const [fault, ...more] = await verifyModel(folder, { ...model, golden });
  assert.deepEqual(more, []);
  assert.match(
    fault!,
    /^Foreign gives different embeddings than when it was added \(cosine distance [\d.]+, allowed 0\.001\)/,
  );
  await writeFile(modelFile(folder, model, model.builds[0]!), "another");
  assert.match(
    (await verifyModel(folder, model)).join(),
    /is not the file of the catalogue; delete it and run/,
  );
  await assert.rejects(readModel(folder, model, model.builds[0]!));
});

function add(folder: string, onnx: Uint8Array = foreignRecogniser(), changes: Partial<Contract> = {}) {
  return addRecogniser(folder, onnx, {
    contract: { ...foreignContract, ...changes },
    licenceText: "as you like",
  });
}
