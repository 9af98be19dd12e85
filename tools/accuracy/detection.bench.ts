import { type LaneId, laneId } from "@faceline/contracts/wire/ids";
import { decodePicture } from "@faceline/inference/decode/decoder";
import { defaultPictureLimits } from "@faceline/inference/decode/picture";
import { type Lanes, openLanes } from "@faceline/inference/engine/lanes";
import type { Box } from "@faceline/inference/geometry/box";
import type { Pixels } from "@faceline/inference/geometry/pixels";
import { PrecisionSetting } from "@faceline/inference/network/precision";
import { labelledPairs, labelledPhotograph } from "@faceline/inference/testing/photographs";
import { readCatalogue } from "@faceline/models/catalogue";
import type { DetectorModel } from "@faceline/models/catalogue-entry";
import { isUnpulled } from "@faceline/models/source";
import { type BoxedPhotograph, matchFaces, type Scene, sceneSets } from "./scenes.ts";

// Which faces each detector finds in the scenes, and how long it takes, by the service's own lanes. A
// benchmark starts this as a process and asks for one set of scenes after another:
//
//     detection.bench.ts      ──► { ways, sets, pictures, absent }
//     { set: "rim" }, …       ──► { faces, rows: [{ way, found, extra, detectMs }] }

const modelsDir = process.env["MODELS_DIR"]!;
const catalogue = await readCatalogue();
const [absent = [], present = []] = [true, false].map((wanted) =>
  catalogue.all("detector").filter(({ source }) => isUnpulled(modelsDir, source) === wanted),
);
const laneOf = (detector: DetectorModel): LaneId => laneId("Dlib", detector.name);
const open = (precision: string, detectors: readonly DetectorModel[]): Promise<Lanes> =>
  openLanes({
    modelsDir,
    lanes: detectors.map(laneOf),
    executionProvider: "cpu",
    intraOpThreads: 1,
    precision: PrecisionSetting.parse(precision),
    batchMax: 1,
    detectorChunkMax: 1,
    faceChunkMax: 16,
  });
const hasInt8 = ({ builds }: DetectorModel): boolean => builds.some(({ precision }) => precision === "int8");
const chosen = await open("auto", present);
const float = await open("float", present.filter(hasInt8));
const ways: readonly Way[] = present.flatMap((detector) => [
  ...waysOf(detector, chosen, hasInt8(detector) && chosen.fallbacks.length === 0 ? "int8" : "float"),
  ...(hasInt8(detector) && chosen.fallbacks.length === 0 ? waysOf(detector, float, "float") : []),
]);

/** A detector with a cascade has two ways: every face at full resolution, and low resolution first. */
function waysOf(detector: DetectorModel, lanes: Lanes, precision: string): Way[] {
  const { name, cascade } = detector;
  const way = (how: string, fullResolution: boolean): Way => ({
    name: `${name}, ${precision}${how}`,
    lanes,
    lane: laneOf(detector),
    fullResolution,
  });
  return cascade === undefined ? [way("", true)] : [way(", full", true), way(", cascade", false)];
}

async function facesOf(picture: Pixels, { lanes, lane, fullResolution }: Way): Promise<Faces> {
  const { width, height } = picture;
  const options = { align: true, enforceDetection: true, facesMax: 100, fullResolution };
  const pictures = [{ ...picture, originalWidth: width, originalHeight: height, options }];
  const { results, facts } = await lanes.run({ lane, pictures });
  const [result] = results;
  const areas = result?.kind === "faces" ? result.faces.map(({ area }) => area) : [];
  const boxes = areas.map(({ x, y, w, h }) => ({ left: x, top: y, right: x + w, bottom: y + h }));
  return { boxes, detectMs: facts.detectMs };
}

/** Boxes are those of ssd at full resolution in float, on every machine. */
async function boxedPhotographs(): Promise<BoxedPhotograph[]> {
  const reference = { name: "", lanes: float, lane: laneId("Dlib", "ssd"), fullResolution: true };
  const photographs: BoxedPhotograph[] = [];
  for (const name of new Set(labelledPairs().flatMap(({ left, right }) => [left, right]))) {
    const picture = await decodePicture(labelledPhotograph(name), defaultPictureLimits);
    if (picture.kind === "rejected") throw new Error(`${name} cannot be read: ${picture.code}`);
    const { boxes } = await facesOf(picture, reference);
    photographs.push({ picture, box: boxes[0]! });
  }
  return photographs;
}

const photographs = await boxedPhotographs();

async function measure(name: string): Promise<{ faces: number; rows: DetectionRow[] }> {
  const { make } = sceneSets.find((each) => each.name === name)!;
  const tallies = ways.map(() => ({ found: 0, extra: 0, ms: [] as number[] }));
  let faces = 0;
  for (const [i, photograph] of photographs.entries()) {
    for (const scene of await make(photograph, photographs[(i + partnerDistance) % photographs.length]!)) {
      faces += scene.faces.length;
      for (const [w, way] of ways.entries()) await count(scene, way, tallies[w]!);
    }
  }
  const rows = ways.map(({ name: way }, w): DetectionRow => {
    const { found, extra, ms } = tallies[w]!;
    return { way, found, extra, detectMs: ms.toSorted((a, b) => a - b)[ms.length >> 1] ?? 0 };
  });
  return { faces, rows };
}

async function count(scene: Scene, way: Way, tally: Counts): Promise<void> {
  const { boxes, detectMs } = await facesOf(scene.picture, way);
  const { found, extra } = matchFaces(scene, boxes);
  tally.found += found;
  tally.extra += extra;
  tally.ms.push(detectMs);
}

/** The second photograph of a pair is that many files on, in the list of pairs: mostly another person. */
const partnerDistance = 7;

process.on("message", ({ set }: { set: string }) => {
  void measure(set).then((reply) => process.send!(reply));
});
process.once("disconnect", () => process.exit());
process.send!({
  ways: ways.map(({ name }) => name),
  sets: sceneSets.map(({ name, how }) => ({ name, how })),
  pictures: photographs.length,
  absent: absent.map(({ name }) => name),
});

type Way = { name: string; lanes: Lanes; lane: LaneId; fullResolution: boolean };
type Faces = { boxes: Box[]; detectMs: number };
type Counts = { found: number; extra: number; ms: number[] };

type DetectionRow = {
  way: string;
  found: number;
  /** Boxes that show none of the scene's faces. */
  extra: number;
  /** Median over the scenes, on one thread. */
  detectMs: number;
};
