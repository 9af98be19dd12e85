import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { decodeEmbedding, encodeEmbedding } from "@faceline/contracts/wire/face";
import { readCatalogue } from "@faceline/models/catalogue";
import { alignmentVersion } from "@faceline/models/model-version";
import sharp, { type Sharp } from "sharp";
import { oneAtATime } from "../../testing/lane-settings.ts";
import { builtModels, engineImage, sampleImage, sampleImageNames } from "../../testing/photographs.ts";
import { Aligner } from "../align/aligner.ts";
import { alignmentTemplates } from "../align/templates.ts";
import { Detector, detectorLimits } from "../detect/detector.ts";
import { chipToTemplate } from "../embed/embedder.ts";
import { composed, stepOf } from "../geometry/affine.ts";
import { wholeBox } from "../geometry/box.ts";
import { Warp } from "../geometry/warp.ts";
import { ModelLoader } from "../network/model-loader.ts";
import { PrecisionSetting } from "../network/precision.ts";

// What stands between an image and an embedding network, of faces as they are, stretched and turned. Where it
// moves, stored embeddings fit no longer, and `model_version` must say so: it contains `alignmentVersion`.

const goldenFile = join(import.meta.dirname, "../../testing/golden-chips.json");
/** In the order of the samples: `ssd` loses some of them upside down or on its side. */
const alterations: Record<string, (image: Sharp) => Sharp> = {
  "as it is": (image) => image,
  "upside down": (image) => image.rotate(180),
  wider: (image) => image.resize(780, 600, { fit: "fill" }),
  taller: (image) => image.resize(600, 780, { fit: "fill" }),
  leaning: (image) => image.rotate(20),
  "on its side": (image) => image.rotate(90),
  small: (image) => image.resize(160),
};

test("landmarks and chips are those of the alignment version", async () => {
  const faces = await goldenFaces();
  const golden = JSON.parse(readFileSync(goldenFile, "utf8")) as Golden;
  if (alignmentVersion > golden.alignmentVersion) {
    writeFileSync(goldenFile, `${JSON.stringify({ alignmentVersion, faces }, null, 2)}\n`);
    assert.fail(`recorded the faces of alignmentVersion ${alignmentVersion}: commit ${goldenFile}`);
  }
  const moved = Object.entries(golden.faces).filter(([name, { landmarks, chips }]) => {
    const now = faces[name]!;
    const movedPx = meanDifference(decodeEmbedding(landmarks), decodeEmbedding(now.landmarks));
    const levels = meanDifference(Buffer.from(chips, "base64"), Buffer.from(now.chips, "base64"));
    return !(movedPx <= landmarksMaxPx && levels <= levelsMax);
  });
  const names = moved.map(([name]) => name).join(", ");
  const advice =
    "Undo the change, or raise alignmentVersion in models/src/model-version.ts, run this test twice, for the " +
    "first run records the new faces, renew the cards (npm run bench -- --only accuracy --write), and say in " +
    "the CHANGELOG that embeddings must be computed again.";
  assert.equal(
    names,
    "",
    `Landmarks or chips moved, so stored embeddings fit no longer: ${names}. ${advice}`,
  );
});

/** Each sample as it is and in one alteration, through the stages of the service in float. */
async function goldenFaces(): Promise<Golden["faces"]> {
  const catalogue = await readCatalogue();
  const options = {
    ...oneAtATime,
    modelsDir: await builtModels(),
    precision: PrecisionSetting.parse("float"),
  };
  await using loader = new ModelLoader(catalogue, options);
  const ssd = catalogue.find("detector", "ssd")!;
  const landmarker = catalogue.find("landmarks", "landmarks-68")!;
  const template = alignmentTemplates[landmarker.scheme];
  const warp = new Warp();
  const detector = new Detector((await loader.load(ssd, 1)).networks, detectorLimits(ssd));
  const aligner = new Aligner((await loader.load(landmarker, 1)).networks.at(-1)!, warp, template);
  const models = ["Dlib", "MobileFaceNet"].map((name) => catalogue.find("embedding", name)!);

  const faceOf = async (bytes: Uint8Array): Promise<GoldenFace> => {
    const image = await engineImage(bytes, { fullResolution: false });
    const [box] = (await detector.detect([image])).detections[0]!.map((found) => found.landmarkBox);
    const [alignment] = (await aligner.align(box ? [{ image, box }] : [])).alignments;
    if (!alignment?.isFace) return { landmarks: "", chips: "" };
    const { chipToImage, landmarks: points } = alignment;
    const chips = models.flatMap((model) => {
      const px = model.input_px;
      const row = new Uint8Array(3 * px * px);
      const map = composed(chipToTemplate(model, template), chipToImage);
      warp.draw(image, map, wholeBox(image), row, px);
      // Green of every 199th pixel: far from one another, in all rows and columns.
      return Array.from(row).filter((_, i) => i % (3 * 199) === 1);
    });
    // In pixels of the chip, because images have faces of many sizes.
    const unit = stepOf(chipToImage);
    const numbers = points.flatMap(({ x, y }) => [x, y]).filter((_, i) => i % 8 < 2);
    const landmarks = encodeEmbedding(Float32Array.from(numbers, (each) => each / unit));
    return { landmarks, chips: Buffer.from(chips).toString("base64") };
  };

  const faces: Golden["faces"] = {};
  const [asItIs = "", ...others] = Object.keys(alterations);
  for (const [index, sample] of sampleImageNames.entries()) {
    for (const name of [asItIs, others[index % others.length]!]) {
      const altered = alterations[name]!(sharp(sampleImage(sample)));
      faces[`${sample} ${name}`] = await faceOf(await altered.png().toBuffer());
    }
  }
  return faces;
}

const meanDifference = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, each, i) => sum + Math.abs(each - b[i]!), 0) / a.length;

/** Far more than CPUs and libraries differ by in rounding. */
const landmarksMaxPx = 0.1;
const levelsMax = 1;

type Golden = { alignmentVersion: number; faces: Record<string, GoldenFace> };
/** As Base64: every fourth landmark, in pixels of the chip; some pixels of the chips of two models. */
type GoldenFace = { landmarks: string; chips: string };
