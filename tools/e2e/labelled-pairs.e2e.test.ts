import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { CapabilitiesResponse } from "@faceline/contracts/http/capabilities";
import { Problem } from "@faceline/contracts/http/problem";
import { VerifyResponse } from "@faceline/contracts/http/verify";
import { readLaunchOptions } from "@faceline/deploy/launcher/settings";
import { readCatalogue } from "@faceline/models/catalogue";
import { modelsFolder } from "@faceline/models/model-file";
import { isUnpulled } from "@faceline/models/source";
import { facesFolder, type LabelledPair, labelledPairs, withoutFaces } from "@faceline/testing/faces";
import { type Post, readBase64, runConcurrently } from "./stack/api-client.ts";
import { startStack } from "./stack/stack.ts";

const inFlightMax = 8;
const catalogue = await readCatalogue();
const models = catalogue
  .all("embedding")
  .filter(({ labelled_pairs, source }) => labelled_pairs && !isUnpulled(modelsFolder, source));

test("all 300 labelled pairs are classified correctly at the default thresholds, at the recorded distances", {
  skip: withoutFaces,
}, async (t) => {
  const { workers } = readLaunchOptions([], process.env);
  const stack = await startStack(t, { workers, settings: { MODELS: models.map(({ name }) => name).join() } });
  const { post } = stack;
  const pairs = labelledPairs();
  assert.equal(pairs.length, 300);

  for (const { name, labelled_pairs, thresholds } of models) {
    await t.test(name, async (t) => {
      const figures: Figures[] = [];
      for (const metric of ["cosine", "euclidean"] as const) {
        figures.push(await measure(post, pairs, { model_name: name, distance_metric: metric }));
      }
      for (const line of table(figures)) t.diagnostic(line);
      t.diagnostic(`${pairs.length} pairs of 25 images: a regression check, not a claim of accuracy.`);
      for (const { metric, wrong } of figures) assert.deepEqual(wrong, [], metric);
      const response = await fetch(`${stack.address}/capabilities`);
      const { detector_details } = CapabilitiesResponse.parse(await response.json());
      const { precision } = detector_details["auto"]!.builds[0]!;
      for (const { metric, same, different } of figures) {
        const limit = differenceMax[precision] * thresholds[metric];
        assertNear(same, labelled_pairs![metric].same, limit);
        assertNear(different, labelled_pairs![metric].different, limit);
      }
    });
  }
});

async function measure(
  post: Post,
  pairs: LabelledPair[],
  options: { model_name: string; distance_metric: Metric },
): Promise<Figures> {
  const images = new Map(
    pairs
      .flatMap(({ first, second }) => [first, second])
      .map((file) => [file, readBase64(join(facesFolder, file))]),
  );
  const verdicts = await runConcurrently({ inFlightMax }, pairs, async (pair): Promise<Verdict> => {
    const { status, body } = await post("/verify", {
      img1: images.get(pair.first),
      img2: images.get(pair.second),
      ...options,
    });
    if (status === 200) return { pair, ...VerifyResponse.parse(body) };
    const { error, field } = Problem.parse(body);
    return { pair, error, file: field === "img2" ? pair.second : pair.first };
  });

  const answered = verdicts.filter((each) => "verified" in each);
  const distances = (samePerson: boolean) =>
    answered.filter(({ pair }) => pair.samePerson === samePerson).map(({ distance }) => distance);
  const missed = verdicts.flatMap((each) =>
    "error" in each && each.error === "no_face_detected" ? [each.file] : [],
  );
  return {
    metric: options.distance_metric,
    correct: answered.filter(({ pair, verified }) => verified === pair.samePerson).length,
    wrong: verdicts
      .filter((each) => !("verified" in each) || each.verified !== each.pair.samePerson)
      .map(
        ({ pair, ...each }) =>
          `${pair.first} ${pair.second}: ${"error" in each ? each.error : each.distance}`,
      ),
    same: distances(true),
    different: distances(false),
    sameMax: Math.max(...distances(true)),
    differentMin: Math.min(...distances(false)),
    threshold: answered[0]?.threshold ?? Number.NaN,
    facesMissed: new Set(missed).size,
  };
}

/** Compares measured rates with those that the catalogue records and the tester draws. */
function assertNear(measured: number[], recorded: number[], limit: number): void {
  assert.equal(measured.length, recorded.length);
  const off = measured.toSorted((one, other) => one - other).map((each, index) => each - recorded[index]!);
  assert.ok(Math.max(...off.map(Math.abs)) <= limit, `beyond ${limit}: ${off.join(" ")}`);
}

/**
 * Largest difference from a recorded distance, as a share of the threshold. Recorded are int8 and drafts, and
 * another run gives the same four digits. In float, Dlib differs by 0.07 of its threshold and MobileFaceNet
 * by 0.04; full decodes instead of drafts moved MobileFaceNet by 0.04 as well.
 */
const differenceMax = { int8: 0.03, float32: 0.1 };

/** Margins: the distances from the threshold to the nearest pair on either side. */
function table(figures: Figures[]): string[] {
  const head = ["metric", "correct", "same ≤", "different ≥", "threshold", "margins", "middle", "missed"];
  const rows = figures.map((each) => [
    each.metric,
    `${each.correct}/${each.correct + each.wrong.length}`,
    each.sameMax.toFixed(6),
    each.differentMin.toFixed(6),
    `${each.threshold}`,
    `${(each.threshold - each.sameMax).toFixed(6)}, ${(each.differentMin - each.threshold).toFixed(6)}`,
    ((each.sameMax + each.differentMin) / 2).toFixed(6),
    `${each.facesMissed}`,
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  return [head, ...rows].map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join("  "));
}

type Metric = "cosine" | "euclidean";

type Verdict = { pair: LabelledPair } & (VerifyResponse | { error: string; file: string });

type Figures = {
  metric: Metric;
  correct: number;
  /** Wrong pairs, with their distance or error. */
  wrong: string[];
  /** Distances of pairs of one person, and of two. */
  same: number[];
  different: number[];
  /** The largest distance of two images of one person, and the smallest distance of two people. */
  sameMax: number;
  differentMin: number;
  threshold: number;
  facesMissed: number;
};
