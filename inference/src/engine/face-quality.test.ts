import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type FaceQuality, qualityIssues } from "@faceline/contracts/http/quality";
import { laneId } from "@faceline/contracts/wire/ids";
import sharp, { type Sharp } from "sharp";
import { oneAtATime } from "../../testing/lane-settings.ts";
import {
  builtModels,
  engineImage,
  groupPhotograph,
  labelledNames,
  labelledPhotograph,
  labelledPhotographsMissing,
  sampleImage,
  sampleImageNames,
} from "../../testing/photographs.ts";
import { openLanes } from "./lanes.ts";

// The quality of faces in images, by the whole engine: drawn ones, photographs, and degraded copies.

const lane = laneId("Dlib", "ssd");
const lanes = await openLanes({ ...oneAtATime, modelsDir: await builtModels(), lanes: [lane] });
after(() => lanes[Symbol.asyncDispose]());

const drawn = sampleImageNames.map((name) => ({ name, bytes: sampleImage(name) }));
/** One image of each drawn person, for what takes many searches. */
const drawnOnce = drawn.filter(({ name }) => name.endsWith("-1.jpg"));
const labelled = labelledPhotographsMissing
  ? []
  : labelledNames().map((name) => ({ name, bytes: labelledPhotograph(name) }));
/** Some of the photographs: each call takes a while. */
const photographs = labelled.filter((_, i) => i % 8 === 0);

test("of the faces of drawn images and group photographs one has an issue: a half-profile", async () => {
  const groups = [1, 2, 3, 4, 5, 6].map((n) => ({ name: `sample${n}`, bytes: groupPhotograph(n) }));
  const found: FaceQuality[] = [];
  for (const { name, bytes } of [...drawn, ...groups]) {
    for (const face of await facesIn(bytes)) {
      found.push(face);
      const expected = name === "sample5" && face.yaw > 24 ? ["turned_away"] : [];
      assert.deepEqual(qualityIssues(face), expected, `${name}: ${JSON.stringify(face)}`);
    }
  }
  assert.ok(found.length >= 25, String(found.length));
  assert.equal(found.filter((face) => qualityIssues(face).length > 0).length, 1);
});

test("faces of the labelled photographs have no issues", { skip: labelledPhotographsMissing }, async () => {
  for (const { name, bytes } of labelled) {
    const [face] = await facesIn(bytes);
    assert.deepEqual(qualityIssues(face!), [], `${name}: ${JSON.stringify(face)}`);
  }
});

test("degraded copies have the issue of their degradation alone; a small face may be blurred too", async () => {
  const degradations: Record<string, (image: Sharp) => Sharp> = {
    too_small: (image) => image,
    blurred: (image) => image.blur(6),
    too_dark: (image) => image.linear(0.12),
    too_bright: (image) => image.linear(3, 80),
  };
  for (const { name, bytes } of [...drawnOnce, ...photographs]) {
    const usual = await faceSized(bytes, 64);
    for (const [issue, degrade] of Object.entries(degradations)) {
      const sized = issue === "too_small" ? await faceSized(usual, 13) : usual;
      const [face] = await facesIn(await degrade(sharp(sized)).png().toBuffer());
      // A detector misses some of them, which is an answer too.
      if (face === undefined) continue;
      const issues = qualityIssues(face).filter((each) => issue !== "too_small" || each !== "blurred");
      assert.deepEqual(issues, [issue], `${name}: ${JSON.stringify(face)}`);
    }
  }
});

test("the share that the edge cuts off grows with the cut, until it is an issue", async () => {
  for (const { name, bytes } of drawnOnce) {
    const image = await faceSized(bytes, 64);
    const { width, height } = await sharp(image).metadata();
    const { results } = await lanes.run({ lane, images: [await engineImage(image)] });
    assert.ok(results[0]!.kind === "faces");
    const { area } = results[0]!.faces[0]!;
    const faces: FaceQuality[] = [];
    // The detector loses a bearded face soon after it has the issue.
    for (const beyond of [20, 0, -20, -24, -26, -36]) {
      const left = Math.max(0, area.right_eye![0] - 28 - beyond);
      const cut = sharp(image).extract({ left, top: 0, width: width - left, height });
      faces.push(...(await facesIn(await cut.toBuffer())).slice(0, 1));
    }
    const shares = faces.map(({ outside_share }) => outside_share);
    const sorted = shares.toSorted((a, b) => a - b);
    assert.deepEqual(shares, sorted, name);
    const isCutOff = qualityIssues(faces.at(-1)!).includes("cut_off");
    assert.ok(shares[0]! < 0.05 && isCutOff, `${name}: ${shares.join()}`);
  }
});

test("an image in a mirror turns yaw and roll around, and leaves the rest", async () => {
  for (const { name, bytes } of [...drawn, ...photographs]) {
    const [face] = await facesIn(bytes);
    const [mirrored] = await facesIn(await sharp(bytes).flop().png().toBuffer());
    const about = `${name}: ${JSON.stringify([face, mirrored])}`;
    assert.ok(Math.abs(face!.yaw + mirrored!.yaw) <= 5 && Math.abs(face!.roll + mirrored!.roll) <= 4, about);
    assert.ok(Math.abs(face!.pitch - mirrored!.pitch) <= 6, about);
    assert.ok(Math.abs(face!.sharpness - mirrored!.sharpness) <= 0.06, about);
    assert.ok(Math.abs(face!.brightness - mirrored!.brightness) <= 0.03, about);
  }
});

test("a turned image adds its angle to the roll", async () => {
  for (const { name, bytes } of drawn) {
    const [face] = await facesIn(bytes);
    const [turned] = await facesIn(await sharp(bytes).rotate(25, { background: "#777777" }).png().toBuffer());
    assert.ok(Math.abs(turned!.roll - face!.roll - 25) <= 3, `${name}: ${JSON.stringify([face, turned])}`);
  }
});

test("pixels between the eyes are those of the original image, however far it was shrunk to search it", async () => {
  const [face] = await facesIn(drawn[0]!.bytes);
  const [large] = await facesIn(await sharp(drawn[0]!.bytes).resize(3_000).png().toBuffer());
  assert.ok(Math.abs(large!.eye_distance_px / face!.eye_distance_px / (3_000 / 512) - 1) < 0.02);
});

test("a face without landmarks has no quality", async () => {
  const image = await engineImage(drawn[0]!.bytes, { align: false });
  const { results } = await lanes.run({ lane, images: [image] });
  assert.equal(results[0]!.kind === "faces" && results[0]!.faces[0]!.quality, undefined);
});

const known = new WeakMap<Uint8Array, Promise<FaceQuality[]>>();

/** The faces of an image, largest first. Searched once, because most tests begin with the same images. */
function facesIn(bytes: Uint8Array): Promise<FaceQuality[]> {
  if (!known.has(bytes)) known.set(bytes, searchFaces(bytes));
  return known.get(bytes)!;
}

async function searchFaces(bytes: Uint8Array): Promise<FaceQuality[]> {
  const { results } = await lanes.run({ lane, images: [await engineImage(bytes)] });
  return results[0]!.kind === "faces" ? results[0]!.faces.map(({ quality }) => quality!) : [];
}

/** A copy with this many pixels between the eyes of the largest face. */
async function faceSized(bytes: Uint8Array, eyeDistancePx: number): Promise<Buffer> {
  const [face] = await facesIn(bytes);
  const { width } = await sharp(bytes).metadata();
  const resized = sharp(bytes).resize(Math.round((width * eyeDistancePx) / face!.eye_distance_px));
  return resized.png().toBuffer();
}
