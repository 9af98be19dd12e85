import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { defaultImageLimits } from "@faceline/inference/decode/image";
import { type Engine, openEngine } from "@faceline/inference/engine/engine";
import { distances } from "@faceline/inference/testing/distances";
import { oneAtATime } from "@faceline/inference/testing/lane-settings";
import {
  builtModels,
  labelledCsv,
  labelledPhotographsMissing,
  sampleImage,
} from "@faceline/inference/testing/photographs";
import { readCatalogue } from "@faceline/models/catalogue";
import { falseMatchCurve, falseMatchRate } from "@faceline/models/false-match-curve";
import sharp from "sharp";
import { embedImages, missingImages } from "./measure.ts";
import { type LabelledPairs, readLabelledPairs } from "./pairs/labelled-pairs.ts";
import { labelledSample } from "./pairs/labelled-sample.ts";
import { laneReport } from "./report/report.ts";
import { clopperPearson } from "./statistics/binomial.ts";
import { ErrorCurve } from "./statistics/error-curve.ts";
import { independentDifferent } from "./statistics/independent-pairs.ts";
import type { PersonPair } from "./statistics/person-bootstrap.ts";

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
const measure = (labelled: LabelledPairs, images: string) =>
  embedImages(labelled.images, {
    engine,
    lanes: [lane],
    folder: images,
    align: true,
    limits: defaultImageLimits,
    progress: () => {},
  });

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
  const [faces] = await measure(labelled, folder);
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

suite("on the labelled pairs", { skip: labelledPhotographsMissing }, () => {
  test("false match rates of one half of the people hold for the other, if pairs of one person count once", async (t) => {
    const labelled = pairsOf(labelledCsv().text);
    const [faces] = await measure(labelled, labelledCsv().folder);
    const different = labelled.pairs.flatMap(({ images: [one, other], same }): PersonPair[] => {
      const distance = distances.cosine(faces!.embeddings[one]!, faces!.embeddings[other]!);
      return same ? [] : [{ distance, same, people: [labelled.people[one]!, labelled.people[other]!] }];
    });
    const people = [...new Set(labelled.people)];
    const count = { rates: 0, byPeople: 0, byPairs: 0 };
    for (let half = 0; half < 2 ** people.length; half++) {
      const isIn = (person: number): boolean => ((half >> people.indexOf(person)) & 1) === 1;
      if (![4, 5].includes(people.filter(isIn).length)) continue;
      const fitted = new ErrorCurve(different.filter((pair) => pair.people.every(isIn)));
      const others = different.filter((pair) => !pair.people.some(isIn));
      const heldOut = new ErrorCurve(others);
      const rateAt = falseMatchRate(falseMatchCurve(fitted.different)!);
      const independent = independentDifferent(others).pairs;
      for (const rank of [0.05, 0.1, 0.25, 0.5, 0.75]) {
        const distance = heldOut.different.at(Math.floor(rank * others.length))!;
        const { fmr } = heldOut.rates(distance);
        const isWithin = (trials: number): boolean => {
          const { low, high } = clopperPearson({ errors: fmr * trials, trials });
          return low <= rateAt(distance) && rateAt(distance) <= high;
        };
        count.rates++;
        if (isWithin(independent)) count.byPeople++;
        if (isWithin(others.length)) count.byPairs++;
      }
    }
    const share = (counted: number) => counted / count.rates;
    t.diagnostic(
      `of ${count.rates} rates, ${(100 * share(count.byPeople)).toFixed(1)} % are within the interval that counts ` +
        `each person once, ${(100 * share(count.byPairs)).toFixed(1)} % within that of independent pairs`,
    );
    assert.ok(share(count.byPeople) >= 0.95 && share(count.byPairs) < 0.95);
  });

  test("300 pairs of 9 people do not show an FMR of 0.1 %", async () => {
    const labelled = pairsOf(labelledCsv().text);
    const [faces] = await measure(labelled, labelledCsv().folder);
    const report = laneReport(labelledSample(labelled, faces!), { model, wantedFmrs: [0.001] });
    assert.deepEqual([report.people, report.pairsLost], [9, 0]);
    for (const { proposals } of report.metrics) assert.equal(proposals[0]!.kind, "refused");
  });
});
