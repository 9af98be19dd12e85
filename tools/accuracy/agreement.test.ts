// Covers the calls of the API on the same image: /represent wants every face and searches at full
// resolution, /verify and /compare search at low resolution first. Both must see the faces that are there.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type LaneId, laneId } from "@faceline/contracts/wire/ids";
import { type Lanes, openLanes } from "@faceline/inference/engine/lanes";
import type { Box } from "@faceline/inference/geometry/box";
import type { Pixels } from "@faceline/inference/geometry/pixels";
import { PrecisionSetting } from "@faceline/inference/network/precision";
import { oneAtATime } from "@faceline/inference/testing/lane-settings";
import {
  builtModels,
  engineImage,
  labelledPhotograph,
  labelledPhotographsMissing,
} from "@faceline/inference/testing/photographs";
import { readCatalogue } from "@faceline/models/catalogue";
import { detectorsOf } from "@faceline/models/detector-choice";
import { modelsFolder } from "@faceline/models/model-file";
import { isUnpulled } from "@faceline/models/source";
import { type BoxedPhotograph, matchFaces, type Scene, sceneSets } from "./scenes.ts";

const catalogue = await readCatalogue();
const detectors = ["auto", "ssd", "faceboxes", "blazeface"];
const photographs = Array.from({ length: 3 }, (_, i) => `img${i + 1}.jpg`);

suite("every way of searching sees the faces that are there", { skip: labelledPhotographsMissing }, () => {
  let lanes: Lanes;
  const scenes = new Map<string, Scene[]>();
  before(async () => {
    const here = detectors.filter((name) => !unpulled(name)).map((name) => laneId("Dlib", name));
    const modelsDir = await builtModels();
    lanes = await openLanes({ modelsDir, lanes: here, ...oneAtATime });
    // In float, so that the scenes are the same on every CPU.
    const ssd = laneId("Dlib", "ssd");
    const precision = PrecisionSetting.parse("float");
    await using float = await openLanes({ modelsDir, lanes: [ssd], ...oneAtATime, precision });
    const boxed: BoxedPhotograph[] = [];
    for (const name of photographs) {
      const image = await engineImage(labelledPhotograph(name));
      const [box] = await boxesOf(float, ssd, image, true);
      boxed.push({ image, box: box! });
    }
    for (const [set, make] of Object.entries(sceneSets)) {
      const made = boxed.map((photograph, i) => make(photograph, boxed[(i + 1) % boxed.length]!));
      scenes.set(set, await Promise.all(made));
    }
  });
  after(() => lanes[Symbol.asyncDispose]());

  for (const detector of detectors) {
    for (const set of Object.keys(sceneSets)) {
      test(`${detector}: ${set}`, { skip: unpulled(detector) }, async () => {
        for (const [i, scene] of scenes.get(set)!.entries()) {
          for (const fullResolution of [true, false]) {
            const boxes = await boxesOf(lanes, laneId("Dlib", detector), scene.image, fullResolution);
            const way = fullResolution ? "full resolution" : "low resolution first";
            assert.deepEqual(
              matchFaces(scene, boxes),
              { found: scene.faces.length, extra: 0 },
              `${photographs[i]}, ${way}`,
            );
          }
        }
      });
    }
  }
});

async function boxesOf(lanes: Lanes, lane: LaneId, image: Pixels, fullResolution: boolean): Promise<Box[]> {
  const { width, height } = image;
  const options = { align: true, enforceDetection: true, facesMax: 100, fullResolution };
  const { results } = await lanes.run({
    lane,
    images: [{ ...image, originalWidth: width, originalHeight: height, options }],
  });
  const [result] = results;
  if (result?.kind !== "faces") return [];
  return result.faces.map(({ area: { x, y, w, h } }) => ({ left: x, top: y, right: x + w, bottom: y + h }));
}

/** Why a detector is not tested; false if its weights are here. */
function unpulled(name: string): string | false {
  const networks = detectorsOf(catalogue.detector(name)!);
  return (
    networks.some(({ source }) => isUnpulled(modelsFolder, source)) &&
    `NOT TESTED: the weights are not here; npm run models -- pull ${name} fetches them`
  );
}
