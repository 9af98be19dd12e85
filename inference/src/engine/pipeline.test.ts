import assert from "node:assert/strict";
import { test } from "node:test";
import { laneId } from "@faceline/contracts/wire/ids";
import { readCatalogue } from "@faceline/models/catalogue";
import { oneAtATime } from "../../testing/lane-settings.ts";
import { builtModels, engineImage, sampleImage } from "../../testing/photographs.ts";
import { Aligner } from "../align/aligner.ts";
import { alignmentTemplates } from "../align/templates.ts";
import { Detector, detectorLimits } from "../detect/detector.ts";
import { chipToTemplate, Embedder } from "../embed/embedder.ts";
import { Warp } from "../geometry/warp.ts";
import { ModelLoader } from "../network/model-loader.ts";
import { laneModels } from "./lane-models.ts";
import { Pipeline } from "./pipeline.ts";

// lanes.test.ts tests the pipeline as a whole, with the real networks.

test("a box whose landmarks are no face's is dropped, after a retry at full resolution", async () => {
  const catalogue = await readCatalogue();
  await using loader = new ModelLoader(catalogue, { modelsDir: await builtModels(), ...oneAtATime });
  const [entries] = laneModels(catalogue, [laneId("Dlib", "auto")]);
  const { first, second } = entries!.detector;
  const { networks } = await loader.load(first, 1);
  const { networks: secondNetworks } = await loader.load(second!, 1);
  const landmarks = (await loader.load(entries!.landmarks, 1)).networks.at(-1)!;
  const embedder = (await loader.load(entries!.recogniser, 1)).networks.at(-1)!;
  const warp = new Warp();
  // No face fits the template so well.
  const template = { ...alignmentTemplates[entries!.landmarks.scheme], residualMaxPx: 0.1 };
  const pipeline = new Pipeline({
    detector: new Detector(networks, detectorLimits(first)),
    secondDetector: new Detector(secondNetworks, detectorLimits(second!)),
    aligner: new Aligner(landmarks, warp, template),
    embedder: new Embedder(embedder, warp, chipToTemplate(entries!.recogniser, template)),
  });

  const portrait = await engineImage(sampleImage("dia-1.jpg"), { fullResolution: false });
  const { results, usage } = await pipeline.run([portrait]);
  assert.deepEqual(results, [{ kind: "rejected", code: "no_face_detected" }]);
  assert.equal(usage.implausible, 2);
  const runs = usage.networks.filter(({ name }) => name.startsWith("ssd"));
  assert.deepEqual(
    runs.map(({ rows }) => rows),
    [1, 0, 1],
  );
  assert.ok(
    usage.networks.every(({ name }) => name !== "blazeface"),
    "the first detector saw something",
  );
  const runsMs = runs.reduce((sum, { runMs }) => sum + runMs, 0);
  assert.ok(usage.detectMs >= runsMs, "detectMs covers the retry too");
});
