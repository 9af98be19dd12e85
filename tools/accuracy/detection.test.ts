// Covers detection-scenes.ts and detection-lanes.ts: which faces the default detector finds, as a call gets
// them, on a tenth to a fifth of the grid. `npm run bench -- --only detection` has all of it, for every
// detector.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type Lanes, openLanes } from "@faceline/inference/engine/lanes";
import { oneAtATime } from "@faceline/inference/testing/lane-settings";
import {
  builtModels,
  labelledNames,
  labelledPhotographsMissing,
} from "@faceline/inference/testing/photographs";
import { largestFace, openReferences, type Outcome, outcomeOf, type Reference } from "./detection-lanes.ts";
import { detectionScenes } from "./detection-scenes.ts";
import { usual } from "./lanes.ts";

/** Half of the angles of the grid. */
const angles = Array.from({ length: 6 }, (_, i) => `${60 * i}°`);

/** Every fifth photograph in each scene, another fifth in the next one. */
const photographsEach = 5;

/**
 * The least of `photographsEach` faces a scene that are found as themselves, and the most of all that are
 * answered with another embedding. One or two less, and more, than on any machine that was measured.
 */
const bounds: readonly Bound[] = [
  { group: "size", scenes: ["10%", "7%"], sameMin: 9, otherMax: 0 },
  { group: "size", scenes: ["5%", "3.5%", "2.5%"], sameMin: 11, otherMax: 0 },
  { group: "angle", scenes: angles, sameMin: 28, otherMax: 1 },
  { group: "shape", sameMin: 24, otherMax: 1 },
  { group: "cover", scenes: ["glasses"], sameMin: 4, otherMax: 0 },
  { group: "cover", scenes: ["mask", "one side"], sameMin: 4, otherMax: 3 },
  { group: "contrast", scenes: ["× 0.5", "× 0.25"], sameMin: 8, otherMax: 0 },
  { group: "light", scenes: ["× 0.5", "× 0.25"], sameMin: 9, otherMax: 0 },
  { group: "light", scenes: ["× 0.1", "× 0.05"], sameMin: 0, otherMax: 1 },
  { group: "nobody", sameMin: 0, otherMax: 0 },
];

suite("the default detector, as a call gets it", { skip: labelledPhotographsMissing }, () => {
  const lane = usual.lane;
  let lanes: Lanes;
  let references: Reference[];
  before(async () => {
    const modelsDir = await builtModels();
    lanes = await openLanes({ ...oneAtATime, modelsDir, lanes: [lane] });
    references = await openReferences(modelsDir, labelledNames().toSorted());
  });
  after(() => lanes[Symbol.asyncDispose]());

  for (const { group, scenes, sameMin, otherMax } of bounds) {
    test(`${group}: ${scenes?.join(", ") ?? "all"}`, async (t) => {
      const chosen = detectionScenes.filter(
        (scene) => scene.group === group && (scenes?.includes(scene.name) ?? true),
      );
      const counts: Record<Outcome, number> = { same: 0, other: 0, refused: 0 };
      for (const [i, { make }] of chosen.entries()) {
        for (let at = i % photographsEach; at < references.length; at += photographsEach) {
          const known = references[at]!;
          const scene = await make(known);
          if (scene) counts[await outcomeOf(lanes, lane, { scene, known })]++;
        }
      }
      t.diagnostic(JSON.stringify(counts));
      assert.ok(counts.same >= sameMin, JSON.stringify(counts));
      assert.ok(counts.other <= otherMax, JSON.stringify(counts));
    });
  }
});

test("a drawn smiley and a black image have no face", async () => {
  const lane = usual.lane;
  await using lanes = await openLanes({ ...oneAtATime, modelsDir: await builtModels(), lanes: [lane] });
  const [width, height] = [640, 480];
  const black = new Uint8Array(3 * width * height);
  const smiley = black.slice();
  for (let i = 0; i < width * height; i++) {
    const [x, y] = [(i % width) - 320, Math.floor(i / width) - 240];
    const isEye = Math.hypot(Math.abs(x) - 55, y + 50) < 18;
    const isMouth = Math.abs(Math.hypot(x, y - 10) - 90) < 6 && y > 50;
    const isHead = Math.hypot(x, y) < 150;
    smiley.set(isEye || isMouth ? [0, 0, 0] : isHead ? [255, 221, 0] : [255, 255, 255], 3 * i);
  }
  for (const pixels of [smiley, black]) {
    assert.equal(await largestFace(lanes, lane, { pixels, width, height }), undefined);
  }
});

/** Bounds of some scenes; of the whole group without `scenes`. */
type Bound = { group: string; scenes?: readonly string[]; sameMin: number; otherMax: number };
