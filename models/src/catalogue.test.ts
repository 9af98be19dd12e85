import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { readCatalogue } from "./catalogue.ts";
import { type EmbeddingModel, euclideanL2Of } from "./catalogue-entry.ts";

/** The entry of Dlib with changes, alone in a catalogue. */
async function catalogueWith(t: TestContext, ...changes: object[]): Promise<string> {
  const entry = await entryOf("dlib");
  const texts = changes.map((change) => JSON.stringify({ ...entry, ...change }));
  return folderOf(t, texts);
}

async function entryOf(model: string): Promise<object> {
  const file = join(import.meta.dirname, `../catalogue/${model}/model.json`);
  return JSON.parse(await readFile(file, "utf8")) as object;
}

async function folderOf(t: TestContext, texts: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "catalogue-"));
  t.after(() => rm(folder, { recursive: true }));
  for (const [i, text] of texts.entries()) {
    const file = join(folder, `model-${i}`, "model.json");
    await mkdir(dirname(file));
    await writeFile(file, text);
  }
  return folder;
}

async function mistakesOf(folder: string): Promise<string[]> {
  const error: unknown = await readCatalogue(folder).then(
    () => assert.fail("the catalogue was accepted"),
    (error: unknown) => error,
  );
  assert(error instanceof Error);
  return error.message
    .split("\n")
    .slice(1)
    .map((line) => line.trim());
}

test("models are found by role and name", async () => {
  const catalogue = await readCatalogue();
  assert.deepEqual(
    catalogue.all("detector").map(({ name }) => name),
    ["blazeface", "faceboxes", "ssd", "tiny"],
  );
  const dlib: EmbeddingModel | undefined = catalogue.find("embedding", "Dlib");
  assert.equal(dlib?.embedding_size, 128);
  assert.equal(catalogue.find("landmarks", "landmarks-68")?.input_px, 112);
  assert.equal(catalogue.find("detector", "Dlib"), undefined);
  assert.equal(catalogue.find("embedding", "dlib"), undefined);
});

test("the euclidean_l2 threshold is equivalent to the cosine threshold", () => {
  assert.equal(euclideanL2Of(0.5), 1);
  assert.equal(euclideanL2Of(0.0725), 0.3808);
});

test("every mistake is reported, each with its file and field", async (t) => {
  const tensors = { inputs: [{ name: "image", type: "uint8", shape: [1, 150, 150, 3] }], outputs: [] };
  const folder = await catalogueWith(t, { batch_buckets: [1, 4, 2], normalization: ["base"], tensors });
  assert.deepEqual(await mistakesOf(folder), [
    'model-0/model.json: tensors.inputs.0.shape.0: Invalid input: expected "N"',
    "model-0/model.json: tensors.outputs: Too small: expected array to have >=1 items",
    "model-0/model.json: batch_buckets: must ascend, from 1",
    'model-0/model.json: Unrecognized key: "normalization"',
  ]);
});

test("fields that contradict each other are rejected", async (t) => {
  const thresholds = { cosine: 0.08, euclidean: 0.6, euclidean_l2: 0.3808 };
  assert.deepEqual(await mistakesOf(await catalogueWith(t, { thresholds, embedding_size: 512 })), [
    "model-0/model.json: thresholds.euclidean_l2: must be sqrt(2 * cosine), to four decimals",
    "model-0/model.json: embedding_size: must be the width of an output",
  ]);
  assert.deepEqual(await mistakesOf(await catalogueWith(t, { input_px: 160 })), [
    "model-0/model.json: input_px: must be the side of the input tensor",
    "model-0/model.json: builds: must exist for every side in every precision",
  ]);
});

test("a cascade must ascend, and its clear scores must enclose the score of a face", async (t) => {
  const ssd = await entryOf("ssd");
  const mistaken = async (input_px: number[], clear: object) =>
    mistakesOf(
      await folderOf(t, [JSON.stringify({ ...ssd, cascade: { input_px, clear, missed_width_share: 0 } })]),
    );
  assert.deepEqual(await mistaken([224, 144, 512], { below: 0.1, from: 0.8 }), [
    "model-0/model.json: cascade.input_px: must ascend",
  ]);
  // Its faces have scores above 0.5.
  for (const clear of [
    { below: 0.6, from: 0.8 },
    { below: 0.1, from: 0.4 },
  ]) {
    assert.deepEqual(await mistaken([144, 224, 512], clear), [
      "model-0/model.json: cascade.clear: must hold selection.score_min between below and from",
    ]);
  }
});

test("a range that ends below its start is rejected", async (t) => {
  const calibration = { measured_on: "nothing", headroom: 1.1, ranges: { relu: [3, 0] } };
  assert.deepEqual(await mistakesOf(await catalogueWith(t, { calibration })), [
    "model-0/model.json: calibration.ranges.relu: must not end below its start",
  ]);
});

test("a malformed hash and a file name outside the folder are rejected", async (t) => {
  const build = { precision: "float32", input_px: 150, file: "../dlib.onnx", bytes: 1, sha256: "abc" };
  assert.deepEqual(await mistakesOf(await catalogueWith(t, { builds: [build] })), [
    "model-0/model.json: builds.0.file: must be a plain file name that ends in .onnx",
    "model-0/model.json: builds.0.sha256: must be 64 hexadecimal digits",
  ]);
});

test("two entries cannot share a name or a file", async (t) => {
  const [dlib, landmarks] = [await entryOf("dlib"), await entryOf("landmarks-68")];
  const folder = await folderOf(
    t,
    [dlib, dlib, landmarks].map((entry) => JSON.stringify(entry)),
  );
  assert.deepEqual(await mistakesOf(folder), [
    "the name Dlib appears twice",
    "the file dlib.float32.onnx appears twice",
    "the file dlib.int8.onnx appears twice",
  ]);
});

test("an embedding model must name a landmark model of the catalogue", async (t) => {
  assert.deepEqual(await mistakesOf(await catalogueWith(t, { landmarks: "five" })), [
    "Dlib: landmarks: there is no landmark model five",
  ]);
});

test("outputs must name tensors, and a landmark scheme must fit its tensor", async (t) => {
  assert.deepEqual(await mistakesOf(await catalogueWith(t, { outputs: { embedding: "features" } })), [
    "model-0/model.json: outputs: must name tensors of tensors.outputs",
  ]);
  const landmarks = { ...(await entryOf("landmarks-68")), scheme: "five_point" };
  assert.deepEqual(await mistakesOf(await folderOf(t, [JSON.stringify(landmarks)])), [
    "model-0/model.json: scheme: must have as many points as the output, two numbers each",
  ]);
});

test("what is pulled is pinned, and stays inside its folder", async (t) => {
  const { source } = (await readCatalogue()).find("embedding", "MobileFaceNet")!;
  assert.ok(source.kind === "npm_tarball");
  const outside = { ...source, integrity: "sha1-abc", manifest: { ...source.manifest, path: "../a.json" } };
  assert.deepEqual(await mistakesOf(await catalogueWith(t, { source: outside })), [
    "model-0/model.json: source.integrity: must be a sha512 integrity",
    "model-0/model.json: source.manifest.path: must be a plain path inside the package",
  ]);
});

test("an entry that is absent or not JSON is named", async (t) => {
  const folder = await folderOf(t, ["{"]);
  await mkdir(join(folder, "model-9"));
  const [broken, absent] = await mistakesOf(folder);
  assert.match(broken ?? "", /^model-0\/model\.json: .*JSON/);
  assert.match(absent ?? "", /^model-9\/model\.json: ENOENT/);
});
