import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { entryIn } from "../testing/entry-mistakes.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { readCatalogue } from "./catalogue.ts";
import type { EmbeddingModel } from "./catalogue-entry.ts";

/** The entry of Dlib with changes, alone in a catalogue. */
async function catalogueWith(t: TestContext, ...changes: object[]): Promise<string> {
  const entry = await entryIn("dlib");
  const texts = changes.map((change) => JSON.stringify({ ...entry, ...change }));
  return folderOf(t, texts);
}

async function folderOf(t: TestContext, texts: readonly string[]): Promise<string> {
  const folder = await temporaryFolder(t);
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
    ["blazeface", "faceboxes", "ssd", "yunet"],
  );
  const { first, second } = catalogue.detector("auto")!;
  assert.deepEqual([first.name, second?.name], ["ssd", "blazeface"]);
  assert.deepEqual(catalogue.detector("ssd"), { name: "ssd", first });
  const dlib: EmbeddingModel | undefined = catalogue.find("embedding", "Dlib");
  assert.equal(dlib?.embedding_size, 128);
  assert.equal(catalogue.find("landmarks", "landmarks-68")?.input_px, 112);
  assert.equal(catalogue.find("detector", "Dlib"), undefined);
  assert.equal(catalogue.find("embedding", "dlib"), undefined);
});

test("every mistake is reported, each with its file and field", async (t) => {
  const folder = await catalogueWith(t, { batch_buckets: [1, 4, 2], normalization: ["base"] });
  assert.deepEqual(await mistakesOf(folder), [
    "model-0/model.json: batch_buckets: must ascend, from 1",
    'model-0/model.json: Unrecognized key: "normalization"',
  ]);
});

test("two entries cannot share a name or a file", async (t) => {
  const [dlib, landmarks] = [await entryIn("dlib"), await entryIn("landmarks-68")];
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

test("an entry that is absent or not JSON is named", async (t) => {
  const folder = await folderOf(t, ["{"]);
  await mkdir(join(folder, "model-9"));
  const [broken, absent] = await mistakesOf(folder);
  assert.match(broken ?? "", /^model-0\/model\.json: .*JSON/);
  assert.match(absent ?? "", /^model-9\/model\.json: ENOENT/);
});
