import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { readCatalogue } from "./catalogue.ts";
import { removeLocalThresholds, withLocalThresholds, writeLocalThresholds } from "./local-thresholds.ts";

const catalogue = await readCatalogue();
const dlib = catalogue.find("embedding", "Dlib")!;
const curve = { pairs: 80_000, distances: [0.04, 0.3], ranks: [1, 80_000] };
const measured = {
  thresholds: { cosine: 0.05, euclidean: 0.5, euclidean_l2: 0.3162 },
  calibration: {
    calibrated_at: "2026-11-22T23:00:00.000Z",
    fmr_wanted: 0.001,
    pairs_same: 400,
    pairs_different: 80_000,
    people: 400,
    detector: "ssd",
  },
  false_match_curves: { cosine: curve, euclidean: curve },
};

test("thresholds that were written take the place of the catalogue's, until they are removed", async (t) => {
  const modelsDir = await temporaryFolder(t);
  assert.deepEqual((await withLocalThresholds(catalogue, modelsDir)).find("embedding", "Dlib"), dlib);
  const path = await writeLocalThresholds(catalogue, dlib, { ...measured, modelsDir });
  const own = (await withLocalThresholds(catalogue, modelsDir)).find("embedding", "Dlib")!;
  assert.deepEqual(own.thresholds, measured.thresholds);
  assert.deepEqual(own.thresholds_calibration, measured.calibration);
  assert.deepEqual(own.false_match_curves, measured.false_match_curves);
  assert.equal(
    own.thresholds_from.cosine,
    "The operator's calibration of 2026-11-22 for a false match rate of at most 0.1% (95% confidence): " +
      "400 pairs of one person and 80000 of two people, of 400 people, with the detector ssd.",
  );
  assert.equal(await removeLocalThresholds(modelsDir, "Dlib"), path);
  assert.deepEqual((await withLocalThresholds(catalogue, modelsDir)).find("embedding", "Dlib"), dlib);
  assert.equal(await removeLocalThresholds(modelsDir, "Dlib"), undefined);
});

test("thresholds of another version, of unknown models and files that do not parse end the start", async (t) => {
  const modelsDir = await temporaryFolder(t);
  const path = await writeLocalThresholds(catalogue, dlib, { ...measured, modelsDir });
  const stored = JSON.parse(await readFile(path, "utf8")) as object;
  const write = (name: string, text: string) => writeFile(join(modelsDir, "thresholds", name), text);
  await write("Dlib.json", JSON.stringify({ ...stored, model_version: "000000000000" }));
  await write("Nobody.json", JSON.stringify({ ...stored, model: "Nobody" }));
  await write("broken.json", "{");
  await write("wrong.json", JSON.stringify({ ...stored, thresholds: { cosine: -1 } }));
  const large = { ...measured.thresholds, euclidean: 80 };
  await write("large.json", JSON.stringify({ ...stored, thresholds: large }));
  await assert.rejects(withLocalThresholds(catalogue, modelsDir), ({ message }: Error) => {
    assert.match(message, /delete these files, then measure them again:\n/);
    assert.match(message, /Dlib\.json: they were measured with another version of Dlib/);
    assert.match(message, /Nobody\.json: the catalogue has no embedding model Nobody/);
    assert.match(message, /broken\.json: .*JSON/);
    assert.match(message, /wrong\.json: thresholds\.cosine: Too small.*thresholds\.euclidean: /);
    assert.match(message, /large\.json: thresholds\.euclidean: no two embeddings are more than 3\.6 apart/);
    return true;
  });
});

test("a name that is no file name leads to no file", async (t) => {
  const modelsDir = await temporaryFolder(t);
  await mkdir(join(modelsDir, "thresholds"));
  await assert.rejects(removeLocalThresholds(modelsDir, "../Dlib"), /is not the name of a model/);
});
