import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { foreignContract, foreignRecogniser } from "../testing/foreign-recogniser.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { addedFolder, readCatalogue } from "./catalogue.ts";
import type { Model } from "./catalogue-entry.ts";
import { addRecogniser } from "./contract/add.ts";
import { acceptanceFile } from "./licence/acceptance.ts";
import { modelFile } from "./model-file.ts";
import { removeModel } from "./remove.ts";
import { isUnpulled, pulledFolder } from "./source.ts";

test("an added model goes with its entry, its file and its thresholds, and can be added again", async (t) => {
  const folder = await temporaryFolder(t);
  const stated = { contract: foreignContract, licenceText: "Take it." };
  const { name } = await addRecogniser(folder, foreignRecogniser(), stated);
  const thresholds = join(folder, "thresholds", `${name}.json`);
  await write(thresholds);
  const { models } = await readCatalogue(undefined, addedFolder(folder));
  const removed = await removeModel(folder, models, name);
  assert.equal(removed.length, 3);
  assert.ok(removed.includes(thresholds));
  assert.deepEqual(await readdir(addedFolder(folder)), []);
  const { models: left } = await readCatalogue(undefined, addedFolder(folder));
  assert.equal(
    left.some((each) => each.name === name),
    false,
  );
  assert.equal((await addRecogniser(folder, foreignRecogniser(), stated)).name, name);
});

test("a pulled model goes with its weights, its builds and the record of its licence, and others stay", async (t) => {
  const folder = await temporaryFolder(t);
  const { models } = await readCatalogue();
  const [one, other] = ["MobileFaceNet", "faceboxes"].map(
    (name) => models.find((each) => each.name === name)!,
  ) as [Model, Model];
  const root = await pretendPulled(folder, one);
  await pretendPulled(folder, other);
  await removeModel(folder, models, one.name);
  assert.equal(isUnpulled(folder, one.source), true);
  assert.equal(existsSync(modelFile(folder, one, one.builds[0]!)), false);
  assert.equal(existsSync(acceptanceFile(folder, one.name)), false);
  assert.equal(isUnpulled(folder, other.source), false);
  await assert.rejects(removeModel(folder, models, one.name), {
    message: "MobileFaceNet was not pulled, so there is nothing to remove",
  });
  await removeModel(folder, models, other.name);
  assert.equal(existsSync(root), false, "the licence of the package goes with its last file");
});

test("a model that comes with Faceline, and one that nobody has, cannot be removed", async (t) => {
  const folder = await temporaryFolder(t);
  const { models } = await readCatalogue();
  await assert.rejects(removeModel(folder, models, "Dlib"), /^Error: Dlib comes with Faceline/);
  await assert.rejects(removeModel(folder, models, "Facenet"), /^Error: the catalogue has no Facenet/);
});

/** Writes empty files where a pull and a build have theirs. Returns the folder of the package. */
async function pretendPulled(folder: string, model: Model): Promise<string> {
  const { source } = model;
  assert.ok(source.kind === "npm_tarball");
  const root = pulledFolder(folder, source);
  const weights = [source.manifest, ...source.weights].map(({ path }) => join(root, path));
  const builds = model.builds.map((build) => modelFile(folder, model, build));
  for (const path of [...weights, ...builds, join(root, "LICENSE"), acceptanceFile(folder, model.name)]) {
    await write(path);
  }
  return root;
}

async function write(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, "{}");
}
