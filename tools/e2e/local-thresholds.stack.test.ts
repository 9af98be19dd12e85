import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { readCatalogue } from "@faceline/models/catalogue";
import { writeLocalThresholds } from "@faceline/models/local-thresholds";
import { startStack } from "./stack/stack.ts";

test("an ingress uses the thresholds that models -- thresholds has written, and says where they come from", async (t) => {
  const modelsDir = await mkdtemp(join(tmpdir(), "models-"));
  t.after(() => rm(modelsDir, { recursive: true }));
  const catalogue = await readCatalogue();
  const calibration = {
    calibrated_at: "2026-11-22T23:00:00.000Z",
    fmr_wanted: 0.01,
    pairs_same: 400,
    pairs_different: 80_000,
    people: 400,
    detector: "ssd",
  };
  const thresholds = { cosine: 0.02, euclidean: 0.3, euclidean_l2: 0.2 };
  const curve = { pairs: 80_000, distances: [0.01, 0.3], ranks: [1, 80_000] };
  const measured = { thresholds, calibration, false_match_curves: { cosine: curve, euclidean: curve } };
  const dlib = catalogue.find("embedding", "SFace")!;
  await writeLocalThresholds(catalogue, dlib, { ...measured, modelsDir });

  // Vectors need no engine, so the modelled one suffices.
  const stack = await startStack(t, { settings: { MODELS_DIR: modelsDir, ENGINE: "model:1+1b" } });
  const response = await fetch(`${stack.address}/capabilities`);
  const { model_details } = (await response.json()) as { model_details: Record<string, object> };
  const shown = model_details["SFace"] as typeof dlib;
  assert.deepEqual(shown.thresholds, thresholds);
  assert.deepEqual(shown.thresholds_calibration, calibration);
  assert.match(shown.thresholds_from.cosine, /^The operator's calibration of 2026-11-22/);

  // The cosine distance of the two is 0.05: between this threshold and the catalogue's.
  const [img1, img2] = [unit(1), unit(0.95)];
  const { body } = await stack.post("/verify", { img1, img2, model_name: "SFace" });
  const verdict = body as { verified: boolean; distance: number; threshold: number };
  assert.deepEqual([verdict.verified, verdict.distance, verdict.threshold], [false, 0.05, 0.02]);
});

/** A vector of length 1 as SFace has them, whose first number is `first`. */
const unit = (first: number): number[] => [first, Math.sqrt(1 - first * first), ...Array(126).fill(0)];
