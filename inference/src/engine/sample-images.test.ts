// Covers web/src/samples: a visitor's first answers come from these images. The engine must find one
// face in each, and no verdict may depend on the decoder, the precision or the processor: a margin is kept.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { decodeEmbedding, type Face } from "@faceline/contracts/wire/face";
import { type LaneId, laneId } from "@faceline/contracts/wire/ids";
import { readCatalogue } from "@faceline/models/catalogue";
import sharp from "sharp";
import { distances } from "../../testing/distances.ts";
import { oneAtATime } from "../../testing/lane-settings.ts";
import { builtModels, engineImage, sampleImage, sampleImageNames } from "../../testing/photographs.ts";
import { type Lanes, openLanes } from "./lanes.ts";

/** `differentMin`: the smallest distance of two people, in shares of the threshold. */
const lanesTested = [
  { model: "SFace", detector: "auto", differentMin: { cosine: 1.15, euclidean: 1.07 } },
  { model: "Dlib", detector: "auto", differentMin: { cosine: 1.4, euclidean: 1.04 } },
  { model: "Dlib", detector: "blazeface", differentMin: { cosine: 1.4, euclidean: 1.04 } },
] as const;
const metrics = ["cosine", "euclidean"] as const;

suite("the sample images", () => {
  let lanes: Lanes;
  before(async () => {
    const ids = lanesTested.map(({ model, detector }) => laneId(model, detector));
    lanes = await openLanes({ modelsDir: await builtModels(), lanes: ids, ...oneAtATime });
  });
  after(() => lanes[Symbol.asyncDispose]());

  test("are two of each of three people, small and without EXIF", async () => {
    const people = Object.groupBy(sampleImageNames, personOf);
    assert.equal(Object.keys(people).length, 3, sampleImageNames.join());
    for (const [person, names] of Object.entries(people)) assert.equal(names?.length, 2, person);
    for (const name of sampleImageNames) {
      const bytes = sampleImage(name);
      assert.ok(bytes.length <= bytesMax, `${name}: ${bytes.length} bytes`);
      const { format, exif, height } = await sharp(bytes).metadata();
      assert.deepEqual({ format, exif, height }, { format: "jpeg", exif: undefined, height: 640 }, name);
    }
  });

  for (const { model, detector, differentMin } of lanesTested) {
    const lane = laneId(model, detector);
    // /represent searches an image at full resolution, /verify and /compare a small copy first.
    for (const fullResolution of [true, false]) {
      const way = `${lane}, ${fullResolution ? "full resolution" : "a small copy first"}`;

      test(`show one face each, and tell people apart with a margin: ${way}`, async (t) => {
        const faces: { name: string; face: Face }[] = [];
        for (const name of sampleImageNames) {
          const face = await onlyFace(lane, name, fullResolution);
          t.diagnostic(`${name}: confidence ${face.confidence.toFixed(3)}`);
          faces.push({ name, face });
        }

        const { thresholds } = (await readCatalogue()).find("embedding", model)!;
        const confidenceMin = detector === "auto" ? 0.9 : 0.6;
        for (const { name, face } of faces) assert.ok(face.confidence > confidenceMin, name);
        for (const metric of metrics) {
          const shares = { same: [0], different: [Infinity] };
          for (const [index, one] of faces.entries()) {
            for (const other of faces.slice(index + 1)) {
              const [a, b] = [decodeEmbedding(one.face.embedding), decodeEmbedding(other.face.embedding)];
              const share = distances[metric](a, b) / thresholds[metric];
              shares[personOf(one.name) === personOf(other.name) ? "same" : "different"].push(share);
              t.diagnostic(`${metric} ${one.name} ${other.name} ${share.toFixed(2)} of the threshold`);
            }
          }
          assert.ok(Math.max(...shares.same) < sameMax[metric], metric);
          assert.ok(Math.min(...shares.different) > differentMin[metric], metric);
        }
      });
    }
  }

  async function onlyFace(lane: LaneId, name: string, fullResolution: boolean): Promise<Face> {
    const images = [await engineImage(sampleImage(name), { fullResolution })];
    const [result] = (await lanes.run({ lane, images })).results;
    assert.ok(result?.kind === "faces", `${name}: ${result?.kind}`);
    assert.equal(result.faces.length, 1, name);
    return result.faces[0]!;
  }
});

/** Size limit of one image, so that a page with six of them stays small. */
const bytesMax = 45_000;

/** Largest distance of two images of one person, in shares of the threshold. */
const sameMax = { cosine: 0.8, euclidean: 0.9 };

/** "ada-1.jpg" and "ada-2.jpg" show one person. */
const personOf = (name: string): string => name.split("-")[0]!;
