// Covers the thresholds of the catalogue on images that they were not chosen on: the group photographs that
// come with the weights, and the drawn people. lanes.test.ts has the labelled pairs.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import { decodeEmbedding } from "@faceline/contracts/wire/face";
import { laneId } from "@faceline/contracts/wire/ids";
import { readCatalogue } from "@faceline/models/catalogue";
import { embeddingNorm } from "@faceline/models/catalogue-entry";
import { distances } from "../../testing/distances.ts";
import { oneAtATime } from "../../testing/lane-settings.ts";
import {
  builtModels,
  engineImage,
  groupPhotograph,
  sampleImage,
  sampleImageNames,
} from "../../testing/photographs.ts";
import { PrecisionSetting } from "../network/precision.ts";
import { type Lanes, openLanes } from "./lanes.ts";

const lane = laneId("Dlib", "ssd");
const { thresholds, ...dlib } = (await readCatalogue()).find("embedding", "Dlib")!;

suite("Dlib's thresholds, on images that they were not chosen on", () => {
  let lanes: Lanes;
  const faces: Face[] = [];
  before(async () => {
    // In float the numbers are the same on every CPU.
    const precision = PrecisionSetting.parse("float");
    lanes = await openLanes({ modelsDir: await builtModels(), lanes: [lane], ...oneAtATime, precision });
    for (const number of [1, 2, 3, 4, 5, 6]) await embed(groupPhotograph(number), `group ${number}`);
    // Two images of each person: "ada-1.jpg" and "ada-2.jpg".
    for (const name of sampleImageNames) await embed(sampleImage(name), name, name.slice(0, 3));
  });
  after(() => lanes[Symbol.asyncDispose]());

  test("cosine and euclidean_l2 give one verdict; euclidean gives another one for at most 3 pairs of 170", (t) => {
    const pairs = faces.flatMap((one, i) => faces.slice(i + 1).flatMap((other) => pairOf(one, other) ?? []));
    assert.equal(pairs.length, 170);
    const isMatch = (metric: DistanceMetric, { one, other }: Pair): boolean =>
      distances[metric](one.embedding, other.embedding) <= thresholds[metric];
    for (const metric of DistanceMetric.options) {
      const wrong = pairs.filter((pair) => isMatch(metric, pair) !== pair.same).length;
      t.diagnostic(`${metric}: ${wrong} of ${pairs.length} verdicts are wrong at ${thresholds[metric]}`);
    }
    const unlikeCosine = (metric: DistanceMetric): number =>
      pairs.filter((pair) => isMatch(metric, pair) !== isMatch("cosine", pair)).length;
    assert.equal(unlikeCosine("euclidean_l2"), 0);
    assert.ok(unlikeCosine("euclidean") <= 3, String(unlikeCosine("euclidean")));
  });

  test("embeddings have the lengths of the catalogue entry, with room on either side", () => {
    const norms = faces.map(({ embedding }) => Math.hypot(...embedding));
    const { min, max } = embeddingNorm(dlib);
    assert.ok(Math.min(...norms) > min + 0.05, String(Math.min(...norms)));
    assert.ok(Math.max(...norms) < max - 0.05, String(Math.max(...norms)));
  });

  async function embed(bytes: Buffer, image: string, person?: string): Promise<void> {
    const { results } = await lanes.run({ lane, images: [await engineImage(bytes)] });
    const [result] = results;
    assert.ok(result?.kind === "faces", image);
    for (const [i, { embedding }] of result.faces.entries()) {
      faces.push({ image, person: person ?? `${image}, ${i}`, embedding: decodeEmbedding(embedding) });
    }
  }
});

/** Undefined for faces of two group photographs: nobody has said whether they show the same people. */
function pairOf(one: Face, other: Face): Pair | undefined {
  const areBothGroups = [one, other].every(({ image }) => image.startsWith("group"));
  if (areBothGroups && one.image !== other.image) return undefined;
  return { one, other, same: one.person === other.person };
}

type Face = { image: string; person: string; embedding: Float32Array };
type Pair = { one: Face; other: Face; same: boolean };
