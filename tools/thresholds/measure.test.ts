import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { defaultImageLimits } from "@faceline/inference/decode/image";
import { type Engine, openEngine } from "@faceline/inference/engine/engine";
import { oneAtATime } from "@faceline/inference/testing/lane-settings";
import { builtModels, sampleImage } from "@faceline/inference/testing/photographs";
import { readCatalogue } from "@faceline/models/catalogue";
import sharp from "sharp";
import { embedImages, missingImages } from "./measure.ts";
import { type LabelledPairs, readLabelledPairs } from "./pairs/labelled-pairs.ts";
import { labelledSample } from "./pairs/labelled-sample.ts";
import { laneReport } from "./report/report.ts";

const lane = "Dlib/ssd" as Parameters<typeof embedImages>[1]["lanes"][number];
const model = (await readCatalogue()).find("embedding", "Dlib")!;
let engine: Engine;
let folder: string;
before(async () => {
  engine = await openEngine({
    lanes: [lane],
    modelsDir: await builtModels(),
    modelled: undefined,
    ...oneAtATime,
  });
  folder = await mkdtemp(join(tmpdir(), "pairs-"));
});
after(async () => {
  await engine[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const pairsOf = (csv: string): LabelledPairs => {
  const labelled = readLabelledPairs(csv);
  assert.ok(!("mistakes" in labelled));
  return labelled;
};

test("images without a face, and files that are no images, are counted by what is wrong", async () => {
  for (const name of ["ada-1.jpg", "ada-2.jpg", "chi-1.jpg"])
    await writeFile(join(folder, name), sampleImage(name));
  await writeFile(join(folder, "text.jpg"), "not an image");
  const grey = { create: { width: 300, height: 300, channels: 3, background: "#888" } } as const;
  await writeFile(join(folder, "grey.png"), await sharp(grey).png().toBuffer());
  const labelled = pairsOf(
    [
      "left,right,label",
      "ada-1.jpg,ada-2.jpg,same",
      "ada-1.jpg,chi-1.jpg,different",
      "text.jpg,grey.png,different",
    ].join("\n"),
  );
  const [faces] = await embedImages(labelled.images, {
    engine,
    lanes: [lane],
    folder,
    align: true,
    limits: defaultImageLimits,
    progress: () => {},
  });
  assert.deepEqual(faces!.failures, [
    { image: 3, code: "unsupported_image_format" },
    { image: 4, code: "no_face_detected" },
  ]);
  const report = laneReport(labelledSample(labelled, faces!), { model, wantedFmrs: [] });
  assert.deepEqual([report.pairs, report.pairsLost], [3, 1]);
  assert.equal(report.metrics[0]!.analysis.auc.value, 1);
});

test("an image that is not there is named with its line", async () => {
  const labelled = pairsOf("left,right,label\nabsent.jpg,ada-1.jpg,same\nada-1.jpg,other.jpg,different");
  await writeFile(join(folder, "ada-1.jpg"), sampleImage("ada-1.jpg"));
  assert.deepEqual(await missingImages(labelled, folder), [
    "line 2: there is no image absent.jpg",
    "line 3: there is no image other.jpg",
  ]);
});
