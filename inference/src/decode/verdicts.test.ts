import assert from "node:assert/strict";
import { after, before, suite, type TestContext, test } from "node:test";
import { decodeEmbedding } from "@faceline/contracts/wire/face";
import { laneId } from "@faceline/contracts/wire/ids";
import { readCatalogue } from "@faceline/models/catalogue";
import sharp, { type Region, type Sharp } from "sharp";
import { distances } from "../accuracy/tally.ts";
import { type Box, overlap } from "../detect/selection.ts";
import { type Lanes, openLanes } from "../engine/lanes.ts";
import { builtModels, groupPhotograph, labelledPhotograph, withoutLabelled } from "../engine/photographs.ts";
import { PrecisionWishes } from "../engine/precision.ts";
import {
  asHeldBy,
  cut,
  encoded,
  type OddPicture,
  type Photograph,
  type Size,
  subsampled,
  THIN,
  turned,
  unplain,
  withDoubtfulExif,
  withDoubtfulSegments,
  withPlainExif,
  withPlainSegments,
} from "./odd-pictures.ts";
import type { Picture, Rejected } from "./picture.ts";
import { Ways } from "./ways.ts";

// What a client is told must not depend on the way its picture was decoded: the same error, or no face, or a face at the
// same place that is, or is not, the same person's as two clean photographs' are. Pixels alone do not say so: the ways
// differ by a level or two, and whether that matters only the networks know. How near the nearest distance came to its
// threshold is told: a picture on the line could fall to either side, and would say nothing of the decoders.

suite("in any form, a face gets the same verdict whichever way it was decoded", () => {
  const ssd = laneId("Dlib", "ssd");
  const metrics = ["cosine", "euclidean"] as const;
  let lanes: Lanes;
  let thresholds: Record<(typeof metrics)[number], number>;
  before(async () => {
    lanes = await openLanes({
      modelsDir: await builtModels(),
      lanes: [ssd],
      executionProvider: "cpu",
      intraOpThreads: 1,
      batchMax: 1,
      detectorChunkMax: 1,
      faceChunkMax: 1,
      residualMaxPx: 6,
      precision: PrecisionWishes.parse("auto"),
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

  test("of a labelled photograph", { skip: withoutLabelled }, async (t) => {
    const whole = (name: string) => sharp(labelledPhotograph(name));
    await compare(t, whole("img11.jpg").extract({ left: 140, top: 0, width: 460, height: 600 }), {
      same: whole("img2.jpg"),
      another: whole("img25.jpg"),
    });
  });

  async function compare(t: TestContext, photograph: Sharp, people: Record<"same" | "another", Sharp>) {
    const same = await seenClean(people.same);
    const another = await seenClean(people.another);
    const ways = new Ways();
    const seen = { faces: 0, none: 0, right: 0 };
    const nearest = { cosine: Infinity, euclidean: Infinity };

    for await (const { name, bytes } of everyForm(photographOf(photograph))) {
      const { chosen, libvips } = await ways.decode(bytes);
      if (chosen.kind === "rejected" || libvips.kind === "rejected") {
        assert.deepEqual([chosen.kind, codeOf(chosen)], [libvips.kind, codeOf(libvips)], name);
        continue;
      }
      const one = await lookAt(chosen);
      const other = Buffer.from(chosen.pixels).equals(libvips.pixels) ? one : await lookAt(libvips);
      assert.equal(one === undefined, other === undefined, `${name}: a face is found one way alone`);
      if (one === undefined || other === undefined) {
        seen.none++;
        continue;
      }
      seen.faces++;
      assert.ok(
        overlap(one.box, other.box) > OVERLAP_MIN,
        `${name}: the face is elsewhere: ${JSON.stringify([one.box, other.box])}`,
      );
      let right = true;
      for (const metric of metrics) {
        for (const person of [same, another]) {
          const beyond: number[] = [one, other].map(
            (face: Seen) => distances[metric](face.embedding, person.embedding) - thresholds[metric],
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
      if (right) seen.right++;
    }

    t.diagnostic(JSON.stringify({ ...ways.cases, ...seen, nearest }));
    assert.ok(ways.cases.all > 500 && ways.cases.turbo > 150 && seen.faces > 150);
    assert.equal(seen.right, seen.faces);
  }

  async function seenClean(photograph: Sharp): Promise<Seen> {
    const { chosen } = await new Ways().decode(await photograph.png().toBuffer());
    assert.equal(chosen.kind, "picture");
    return (await lookAt(chosen))!;
  }

  async function lookAt(picture: Picture): Promise<Seen | undefined> {
    const options = { align: true, enforceDetection: true, facesMax: 1, fullResolution: false };
    const { results } = await lanes.run({ lane: ssd, pictures: [{ ...picture, options }] });
    const [result] = results;
    if (result?.kind !== "faces") return undefined;
    const { area, embedding } = result.faces[0]!;
    const box = { left: area.x, top: area.y, right: area.x + area.w, bottom: area.y + area.h };
    return { box, embedding: decodeEmbedding(embedding) };
  }
});

async function* everyForm(photograph: Photograph): AsyncGenerator<OddPicture, void> {
  yield* turned(photograph, SIZES);
  yield* turned(photograph, THIN, [{}]);
  yield* subsampled(
    photograph,
    Array.from({ length: 8 }, (_, i) => [160 + i, 200 - 3 * i] as const),
  );
  const png = await photograph(180, 210);
  yield* encoded(png);
  yield* unplain(png);
  yield* cut(png);
  const held = await sharp(await asHeldBy(6, png))
    .jpeg()
    .toBuffer();
  yield* withPlainExif(held);
  yield* withDoubtfulExif(held);
  const jpeg = await sharp(png).jpeg().toBuffer();
  yield* withPlainSegments(jpeg, jpeg);
  yield* withDoubtfulSegments(jpeg);
}

const SIZES: readonly Size[] = [
  [96, 112],
  [160, 192],
  [161, 207],
  [240, 181],
  [330, 411],
];

/** A face that is mirrored or turned in its picture overlaps with itself by less than half. */
const OVERLAP_MIN = 0.6;

const photographOf =
  (picture: Sharp): Photograph =>
  (width, height) =>
    picture.clone().resize(width, height, { fit: "cover" }).png().toBuffer();

const codeOf = (result: Picture | Rejected) => (result.kind === "rejected" ? result.code : undefined);

type Seen = { box: Box; embedding: Float32Array };
