import { writeFileSync } from "node:fs";
import { decodeEmbedding } from "@faceline/contracts/wire/face";
import { laneId } from "@faceline/contracts/wire/ids";
import { openLanes } from "@faceline/inference/engine/lanes";
import { ModelLoader } from "@faceline/inference/network/model-loader";
import { PrecisionSetting } from "@faceline/inference/network/precision";
import { oneAtATime } from "@faceline/inference/testing/lane-settings";
import { distances } from "@faceline/inference/testing/distances";
import { builtModels, engineImage, groupPhotograph, sampleImage, sampleImageNames } from "@faceline/inference/testing/photographs";
import { Detector, detectorLimits } from "@faceline/inference/detect/detector";
import { alignmentTemplates, eyesOf, fittedLandmarks, pointsByLandmark } from "@faceline/inference/align/templates";
import { boxCrop, leaningCrops, uprightCrop } from "@faceline/inference/align/crop";
import { driftBetween } from "@faceline/inference/align/drift";
import { widthRatio } from "@faceline/inference/align/stretch";
import { fitSimilarity, residualOf, scaleOf } from "@faceline/inference/geometry/similarity";
import { apply, composed } from "@faceline/inference/geometry/affine";
import { wholeBox } from "@faceline/inference/geometry/box";
import { Warp } from "@faceline/inference/geometry/warp";
import { QualityMeter } from "@faceline/inference/quality/quality-meter";
import { qualityIssues } from "@faceline/contracts/http/quality";
import { ovalSquarePx, ovalSquareToChip } from "@faceline/inference/quality/face-oval";
import { readCatalogue } from "@faceline/models/catalogue";
import { heldOutSet, labelledSet } from "./image-sets.ts";
import { withGlasses, withMask } from "./drawn-covers.ts";

import sharp from "sharp";
import { open, pixelsOf, rolled, tight, cutByRim } from "./scenes.ts";
import { degradations, withNoise } from "./degradations.ts";
const modelsDir = await builtModels();
const options = { ...oneAtATime, modelsDir, precision: PrecisionSetting.parse("float") };
const catalogue = await readCatalogue();
const loader = new ModelLoader(catalogue, options);
const ssd = catalogue.find("detector", "ssd")!;
const landmarker = catalogue.find("landmarks", "landmarks-68")!;
const template = alignmentTemplates[landmarker.scheme];
const warp = new Warp();
const detector = new Detector((await loader.load(ssd, 1)).networks, detectorLimits(ssd));
const network = (await loader.load(landmarker, 1)).networks.at(-1)!;
const meter = new QualityMeter(warp, template);
const lanes = await openLanes({ ...options, lanes: [laneId("Dlib", "ssd"), laneId("Dlib", "blazeface")] });
const detectors: Record<string, any> = { ssd: detector };
{ const m = catalogue.find("detector", "blazeface")!; detectors.blazeface = new Detector((await loader.load(m, 1)).networks, detectorLimits(m)); }

async function fit(image: any, crop: any) {
  let out: any;
  await network.run(1, {
    write: (_i: number, row: any) => warp.draw(image, crop.cropToImage, crop.within, row, network.px),
    read: (_i: number, output: any) => {
      const numbers = output("points") as Float32Array;
      const landmarks = Array.from({ length: numbers.length / 2 }, (_, i) =>
        apply
async function features(pixels: any, det: string) {
  const o = { align: true, enforceDetection: true, facesMax: 1, fullResolution: false };
  const image = { ...pixels, originalWidth: pixels.width, originalHeight: pixels.height, options: o };
  const { results } = await lanes.run({ lane: laneId("Dlib", det), images: [image] });
  const [r] = results;
  if (r?.kind !== "faces") return undefined;
  const face = r.faces[0]!;
  const found = (await detectors[det].detect([image])).detections[0]!;
  const cx = face.area.x + face.area.w / 2, cy = face.area.y + face.area.h / 2;
  const box = found.find((b: any) => b.left < cx && cx < b.right && b.top < cy && cy < b.bottom) ?? found[0];
  if (!box) return undefined;
  const boxed = await fit(image, boxCrop(box.landmarkBox, network.px));
  const upright = await fit(image, uprightCrop(boxed.chipToImage, template, image, network.px));
  const again = await fit(image, uprightCrop(upright.chipToImage, template, image, network.px));
  const third = await fit(image, uprightCrop(again.chipToImage, template, image, network.px));
  const leans = [];
  for (const crop of leaningCrops(upright.chipToImage, template, image, network.px)) leans.push(await fit(image, crop));
  const q = face.quality!;
  return { face, embedding: decodeEmbedding(face.embedding), f: {
    drift: driftBetween(boxed, upright), settle: driftBetween(upright, again), settle2: driftBetween(again, third),
    lean: Math.max(...leans.map((l) => driftBetween(l, upright))), lean0: driftBetween(leans[0], upright), lean1: driftBetween(leans[1], upright),
    residual: residualOf(upright.chipToImage, template.points, fittedLandmarks(upright.landmarks, template)),
    yaw: q.yaw, pitch: q.pitch, roll: q.roll, issues: qualityIssues(q).join("+"), eyepx: q.eye_distance_px } };
}
void eyesOf; void pointsByLandmark; void meter; void ovalSquarePx; void composed; void wholeBox; void widthRatio; void ovalSquareToChip; void scaleOf; void sampleImage; void sampleImageNames; void groupPhotograph;
function withoutSide({ pixels, width, height }: any, { x, y, w, h }: any) {
  const covered = Uint8Array.from(pixels);
  const [from, to] = [Math.round(x - w / 4), Math.round(x + w / 2)];
  for (let row = Math.max(0, y - h); row < Math.min(height, y + 2 * h); row++)
    covered.fill(90, 3 * (row * width + Math.max(0, from)), 3 * (row * width + to));
  return { pixels: covered, width, height };
}

void withNoise;
const boxOf = ({ x, y, w, h }: any) => ({ left: x, top: y, right: x + w, bottom: y + h });
const deg = (name: string) => (p: any, a: any) => degradations.find((d) => d.name === name)!.apply(p, a);
const conds: Record<string, (p: any, a: any) => any> = {
  clear: (p) => p,
  roll15: async (p, a) => (await rolled(p, boxOf(a), 15)).image, roll30: async (p, a) => (await rolled(p, boxOf(a), 30)).image,
  roll60: async (p, a) => (await rolled(p, boxOf(a), 60)).image, roll180: async (p, a) => (await rolled(p, boxOf(a), 180)).image,
  wide125: (p) => pixelsOf(open(p).resize({ width: Math.round(1.25 * p.width), height: p.height, fit: "fill" })),
  wide15: (p) => pixelsOf(open(p).resize({ width: Math.round(1.5 * p.width), height: p.height, fit: "fill" })),
  tall15: (p) => pixelsOf(open(p).resize({ width: p.width, height: Math.round(1.5 * p.height), fit: "fill" })),
  crop9: async (p, a) => (await tight({ image: p, box: boxOf(a) }, 0.9)).image, crop7: async (p, a) => (await tight({ image: p, box: boxOf(a) }, 0.7)).image,
  edge20: async (p, a) => (await cutByRim(p, boxOf(a), 0.2)).image,
  px32: deg("face of 32 px"), px24: deg("face of 24 px"), blur: deg("blur"), jpeg: deg("JPEG"), low: deg("low light"),
  dark10: (p) => pixelsOf(open(p).linear(0.1, 0)),
  mask: withMask, glasses: withGlasses, half: withoutSide,
};
const rows: any[] = [];
const people: any[] = [];
for (const set of [labelledSet(), heldOutSet(process.argv[2]!)!]) for (const image of set.images) if (set.name === "labelled" || (image.isProbe && image.person % 2 === 0) || image.name.endsWith("/1.pgm")) people.push({ set: set.name, name: image.name, open: image.open });
// gallery of real faces
for (let r = 0; r < 6; r++) for (let c = 0; c < 18; c++) people.push({ set: "gallery", name: `${r + 1}.${c + 1}`, open: async () => {
  const cell = await sharp("/tmp/cards-exp/pk/package/assets/screenshot-facematch.jpg").extract({ left: Math.round(c * 106.67) + 2, top: Math.round(283 + r * 112.4) + 2, width: 102, height: 106 }).extend({ top: 106, bottom: 106, left: 102, right: 102, background: "#000" }).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { pixels: cell.data, width: cell.info.width, height: cell.info.height };
} });
for (const { set, name, open: load } of people) {
  const pixels = await load();
  const clear = await features(pixels, "ssd");
  if (!clear) { rows.push({ set, name, cond: "clear", det: "ssd", refused: true }); continue; }
  for (const det of ["ssd", "blazeface"]) for (const [cond, make] of Object.entries(conds)) {
    if (set === "gallery" && !["clear", "mask", "half", "roll30", "glasses"].includes(cond)) continue;
    if (set === "held-out" && det === "blazeface" && !["clear", "mask", "half", "roll30", "glasses"].includes(cond)) continue;
    let got: any;
    try { got = await features(await make(pixels, clear.face.area), det); } catch { continue; }
    rows.push({ set, name, cond, det, ...(got ? { ...got.f, own: distances.cosine(got.embedding, clear.embedding) } : { refused: true }) });
  }
}
writeFileSync("/tmp/cards-exp/cover2.json", JSON.stringify(rows));
console.log(rows.length);
await lanes[Symbol.asyncDispose](); await loader[Symbol.asyncDispose]();
