import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { licenseOf, readCatalogue } from "./catalogue.ts";
import { withLocalThresholds, writeLocalThresholds } from "./local-thresholds.ts";
import { pairsOf } from "./model-pair.ts";
import { modelVersionOf } from "./model-version.ts";

const catalogue = await readCatalogue();
const dlib = catalogue.find("embedding", "Dlib")!;
const mobileFaceNet = catalogue.find("embedding", "MobileFaceNet")!;
const landmarks = catalogue.find("landmarks", dlib.landmarks)!;

test("two models on one landmark model are a pair, named in the order of the alphabet", () => {
  const [pair, ...more] = pairsOf([mobileFaceNet, dlib]);
  assert.equal(more.length, 0);
  assert.equal(pair!.name, "Dlib+MobileFaceNet");
  assert.equal(pair!.embedding_size, 128 + 192);
  for (const { id } of [...dlib.licenses, ...mobileFaceNet.licenses])
    assert.ok(licenseOf(pair!).includes(id));
  assert.deepEqual(pairsOf([dlib, { ...mobileFaceNet, landmarks: "others" }]), []);
  assert.deepEqual(pairsOf([dlib, { ...mobileFaceNet, normalizations: ["own"] }]), []);
});

test("faces at the threshold of both models are at the threshold of the pair", () => {
  const [pair] = pairsOf([dlib, mobileFaceNet]);
  const [a, b] = pair!.weights;
  assert.ok(Math.abs(a + b - 1) < 1e-12);
  const both = a * dlib.thresholds.cosine + b * mobileFaceNet.thresholds.cosine;
  assert.ok(Math.abs(pair!.thresholds.cosine - both) < 1e-4);
  // Each model has the same say, in units of its own threshold.
  assert.ok(Math.abs(a * dlib.thresholds.cosine - b * mobileFaceNet.thresholds.cosine) < 1e-12);
});

test("a measured threshold takes the place of the derived one", () => {
  const measured = {
    "Dlib+MobileFaceNet": { cosine: 0.2, cosine_from: "measured", labelled_pairs: dlib.labelled_pairs! },
  };
  const [pair] = pairsOf([dlib, mobileFaceNet], measured);
  assert.deepEqual(pair!.thresholds, { cosine: 0.2, euclidean: 0.6325, euclidean_l2: 0.6325 });
  assert.equal(pair!.thresholds_from.cosine, "measured");
});

test("the version of a pair follows the weights of both networks, and how much each counts", () => {
  const [pair] = pairsOf([dlib, mobileFaceNet]);
  const stricter = { ...mobileFaceNet, thresholds: { ...mobileFaceNet.thresholds, cosine: 0.4 } };
  const [otherWeights] = pairsOf([dlib, stricter]);
  const otherNetwork = { ...pair!, members: [dlib, dlib] as const };
  const versions = [dlib, mobileFaceNet, pair!, otherWeights!, otherNetwork].map((each) =>
    modelVersionOf(each, landmarks),
  );
  assert.equal(new Set(versions).size, versions.length);
});

test("an operator's thresholds of a model leave the embeddings of its pairs as they are", async (t) => {
  const modelsDir = await temporaryFolder(t);
  const calibration = {
    calibrated_at: "2026-11-22T23:00:00.000Z",
    fmr_wanted: 0.001,
    pairs_same: 400,
    pairs_different: 80_000,
    people: 400,
    detector: "ssd",
  };
  const pair = catalogue.recogniser("Dlib+MobileFaceNet")!;
  const thresholds = { cosine: 0.05, euclidean: 0.3162, euclidean_l2: 0.3162 };
  for (const model of [dlib, pair]) {
    await writeLocalThresholds(catalogue, model, { thresholds, calibration, modelsDir });
  }
  const own = await withLocalThresholds(catalogue, modelsDir);
  const ownPair = own.recogniser("Dlib+MobileFaceNet")!;
  assert.deepEqual(ownPair.thresholds, thresholds);
  assert.equal(modelVersionOf(ownPair, landmarks), modelVersionOf(pair, landmarks));
});

test("a file of measured pairs that does not parse ends the start", async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, "pairs.json"), JSON.stringify({ "A+B": { cosine: -1 } }));
  await assert.rejects(readCatalogue(folder), /A\+B/);
});
