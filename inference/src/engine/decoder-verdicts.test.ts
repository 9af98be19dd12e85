import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, suite, type TestContext, test } from "node:test";
import { decodeEmbedding } from "@faceline/contracts/wire/face";
import { laneId } from "@faceline/contracts/wire/ids";
import { readCatalogue } from "@faceline/models/catalogue";
import sharp, { type Region, type Sharp } from "sharp";
import { DecoderComparison } from "../../testing/compare-decoders.ts";
import { distances } from "../../testing/distances.ts";
import { oneAtATime } from "../../testing/lane-settings.ts";
import { builtModels, groupPhotograph } from "../../testing/photographs.ts";
import {
  notPlain,
  type Photograph,
  type PictureCase,
  type PictureSize,
  storedAs,
  thinSizes,
  truncated,
  withDoubtfulExif,
  withDoubtfulSegments,
  withEncodings,
  withOrientations,
  withPlainExif,
  withPlainSegments,
  withSubsamplings,
} from "../../testing/picture-cases.ts";
import type { Picture, Rejected } from "../decode/picture.ts";
import { type Box, iou } from "../geometry/box.ts";
import { type Lanes, openLanes } from "./lanes.ts";

// A client's answer must not depend on the decoder of its picture: the same error, or no face, or a face at
// the same position that matches the same of two clean photographs. Pixels do not show that: the decoders
// differ by a level or two, and only the networks say whether that matters. The diagnostic gives the smallest
// distance from a threshold: a picture on the threshold could fall on either side, whatever the decoder.

suite("a face gets the same verdict from both decoders, in every form of its picture", () => {
  const ssd = laneId("Dlib", "ssd");
  const metrics = ["cosine", "euclidean"] as const;
  let lanes: Lanes;
  let thresholds: Record<(typeof metrics)[number], number>;
  const largestFaces = new Map<string, Promise<EmbeddedFace | undefined>>();
  before(async () => {
    lanes = await openLanes({
      modelsDir: await builtModels(),
      lanes: [ssd],
      ...oneAtATime,
    });
    thresholds = (await readCatalogue()).find("embedding", "Dlib")!.thresholds;
  });
  after(() => lanes[Symbol.asyncDispose]());

  test("of a group photograph", async (t) => {
    const part = (group: number, region: Region) => sharp(groupPhotograph(group)).extract(region);
    await compare(t, part(1, { left: 1440, top: 130, width: 400, height: 460 }), {
      same: part(3, { left: 960, top: 100, width: 440, height: 560 }),
      another: part(2, { left: 1320, top: 40, width: 480, height: 560 }),
    });
  });

  async function compare(t: TestContext, photograph: Sharp, people: Record<"same" | "another", Sharp>) {
    const same = await cleanFace(people.same);
    const another = await cleanFace(people.another);
    const comparison = new DecoderComparison();
    const counts = { faces: 0, none: 0, right: 0 };
    const nearest = { cosine: Infinity, euclidean: Infinity };

    for await (const { name, bytes } of everyCase(photographOf(photograph))) {
      const { actual, libvips } = await comparison.decode(bytes);
      if (actual.kind === "rejected" || libvips.kind === "rejected") {
        assert.deepEqual([actual.kind, codeOf(actual)], [libvips.kind, codeOf(libvips)], name);
        continue;
      }
      const one = await largestFace(actual);
      const other = Buffer.from(actual.pixels).equals(libvips.pixels) ? one : await largestFace(libvips);
      assert.equal(one === undefined, other === undefined, `${name}: only one decoder gives a face`);
      if (one === undefined || other === undefined) {
        counts.none++;
        continue;
      }
      counts.faces++;
      assert.ok(
        iou(one.box, other.box) > iouMin,
        `${name}: the decoders give faces at different positions: ${JSON.stringify([one.box, other.box])}`,
      );
      let right = true;
      for (const metric of metrics) {
        for (const person of [same, another]) {
          const beyond: number[] = [one, other].map(
            (face: EmbeddedFace) => distances[metric](face.embedding, person.embedding) - thresholds[metric],
          );
          nearest[metric] = Math.min(nearest[metric], ...beyond.map(Math.abs));
          const verdicts = beyond.map((distance) => distance <= 0);
          assert.equal(
            verdicts[0],
            verdicts[1],
            `${name}: ${metric} is ${beyond.join(" and ")} beyond its threshold`,
          );
          right &&= verdicts[0] === (person === same);
        }
      }
      if (right) counts.right++;
    }

    t.diagnostic(JSON.stringify({ ...comparison.counts, ...counts, runs: largestFaces.size, nearest }));
    assert.ok(comparison.counts.all > 500 && comparison.counts.turbo > 130 && counts.faces > 150);
    assert.equal(counts.right, counts.faces);
  }

  async function cleanFace(photograph: Sharp): Promise<EmbeddedFace> {
    const { actual } = await new DecoderComparison().decode(await photograph.png().toBuffer());
    assert.equal(actual.kind, "picture");
    return (await largestFace(actual))!;
  }

  /** Several forms of a picture decode to the same pixels. */
  function largestFace(picture: Picture): Promise<EmbeddedFace | undefined> {
    const { width, height, pixels } = picture;
    const key = `${width} ${height} ${createHash("sha256").update(pixels).digest("hex")}`;
    const known = largestFaces.get(key) ?? findLargestFace(picture);
    largestFaces.set(key, known);
    return known;
  }

  async function findLargestFace(picture: Picture): Promise<EmbeddedFace | undefined> {
    const options = { align: true, enforceDetection: true, facesMax: 1, fullResolution: false };
    const { results } = await lanes.run({ lane: ssd, pictures: [{ ...picture, options }] });
    const [result] = results;
    if (result?.kind !== "faces") return undefined;
    const { area, embedding } = result.faces[0]!;
    const box = { left: area.x, top: area.y, right: area.x + area.w, bottom: area.y + area.h };
    return { box, embedding: decodeEmbedding(embedding) };
  }
});

async function* everyCase(photograph: Photograph): AsyncGenerator<PictureCase, void> {
  yield* withOrientations(photograph, sizes);
  yield* withOrientations(photograph, thinSizes, [{}]);
  yield* withSubsamplings(
    photograph,
    Array.from({ length: 8 }, (_, i) => [160 + i, 200 - 3 * i] as const),
  );
  const png = await photograph(180, 210);
  yield* withEncodings(png);
  yield* notPlain(png);
  yield* truncated(png);
  const stored = await sharp(await storedAs(6, png))
    .jpeg()
    .toBuffer();
  yield* withPlainExif(stored);
  yield* withDoubtfulExif(stored);
  const jpeg = await sharp(png).jpeg().toBuffer();
  yield* withPlainSegments(jpeg, jpeg);
  yield* withDoubtfulSegments(jpeg);
}

const sizes: readonly PictureSize[] = [
  [96, 112],
  [161, 207],
  [330, 411],
];

/** A face that is mirrored or rotated within its picture has an IoU of less than a half with itself. */
const iouMin = 0.6;

const photographOf =
  (picture: Sharp): Photograph =>
  (width, height) =>
    picture.clone().resize(width, height, { fit: "cover" }).png().toBuffer();

const codeOf = (result: Picture | Rejected) => (result.kind === "rejected" ? result.code : undefined);

type EmbeddedFace = { box: Box; embedding: Float32Array };
