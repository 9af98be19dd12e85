import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { decodeEmbedding } from "@faceline/contracts/wire/face";
import { laneId } from "@faceline/contracts/wire/ids";
import sharp, { type Sharp } from "sharp";
import { distances } from "../../testing/distances.ts";
import { oneAtATime } from "../../testing/lane-settings.ts";
import {
  builtModels,
  engineImage,
  groupPhotograph,
  sampleImage,
  sampleImageNames,
} from "../../testing/photographs.ts";
import { decodeImage } from "../decode/decoder.ts";
import { defaultImageLimits } from "../decode/image.ts";
import { type Lanes, openLanes } from "./lanes.ts";
import type { EngineImage, TaskResult } from "./work.ts";

// Tests the rule of pipeline.ts for drafts, and decode/draft.ts, with the real networks.

const lane = laneId("Dlib", "auto");
const oneFace = { facesMax: 1, fullResolution: false };

suite("drafts with the real models", () => {
  let lanes: Lanes;
  before(async () => {
    lanes = await openLanes({ modelsDir: await builtModels(), lanes: [lane], ...oneAtATime });
  });
  after(() => lanes[Symbol.asyncDispose]());

  const run = async (image: EngineImage): Promise<TaskResult> =>
    (await lanes.run({ lane, images: [image] })).results[0]!;

  for (const name of sampleImageNames.filter((each) => each.endsWith("-1.jpg"))) {
    test(`${name}: a large face of a draft has nearly the embedding of the full search, however it was altered`, async () => {
      const portrait = sharp(await sharp(sampleImage(name)).resize({ height: 1_400 }).toBuffer());
      const alterations: Record<string, Sharp> = {
        "as it is": portrait.clone(),
        leaning: portrait.clone().rotate(20),
        stretched: portrait.clone().resize(1_500, 1_400, { fit: "fill" }),
        dark: portrait.clone().linear(0.25),
        blurred: portrait.clone().blur(6),
      };
      for (const [alteration, altered] of Object.entries(alterations)) {
        const bytes = await altered.jpeg({ quality: 80, progressive: true }).toBuffer();
        const draft = await decodeImage(bytes, defaultImageLimits, undefined, "draft");
        assert.ok(draft.kind === "image" && draft.isDraft, alteration);
        const full = await engineImage(bytes, { facesMax: 1 });
        const fast = await run({ ...draft, options: { ...full.options, fullResolution: false } });
        const found = await run(full);
        const [face] = found.kind === "faces" ? found.faces : [];
        // Where `ssd` finds no face in a draft, `blazeface` searches the full image.
        if (alteration === "dark" && face?.area.detector === "blazeface") {
          assert.equal(fast.kind, "too_coarse");
          continue;
        }
        const distance = distances.cosine(embeddingOf(fast), embeddingOf(found));
        assert.ok(distance <= documentedMax, `${alteration}: ${distance}`);
      }
    });
  }

  test("a draft does not suffice where a face is small, nor where none is found", async () => {
    const blank = await sharp({ create: { width: 600, height: 600, channels: 3, background: "#777777" } })
      .jpeg()
      .toBuffer();
    for (const bytes of [groupPhotograph(1), blank]) {
      const full = await engineImage(bytes, oneFace);
      assert.notEqual((await run(full)).kind, "too_coarse");
      assert.deepEqual(await run({ ...full, isDraft: true }), { kind: "too_coarse" });
    }
  });

  test("one small face among those that are wanted is enough to ask for the full image", async () => {
    const small = await sharp(sampleImage("ada-1.jpg")).resize({ height: 300 }).png().toBuffer();
    const bytes = await sharp(sampleImage("dia-1.jpg"))
      .resize(1_400, 1_400, { fit: "contain", position: "left" })
      .composite([{ input: small, left: 1_400 - 260, top: 0 }])
      .jpeg()
      .toBuffer();
    const image = { ...(await engineImage(bytes, oneFace)), isDraft: true };
    assert.equal((await run(image)).kind, "faces");
    assert.equal((await run({ ...image, options: { ...image.options, facesMax: 2 } })).kind, "too_coarse");
  });
});

/** Largest cosine distance of the fast from the full search, by docs/using/images.md. */
const documentedMax = 0.004;

function embeddingOf(result: TaskResult): Float32Array {
  assert.ok(result.kind === "faces", result.kind);
  return decodeEmbedding(result.faces[0]!.embedding);
}
