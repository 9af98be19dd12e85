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
const lanes = await openLanes({ ...options, lanes: [laneId("Dlib", "ssd")] });

async function fit(image: any, crop: any) {
  let out: any;
  await network.run(1, {
    write: (_i: number, row: any) => warp.draw(image, crop.cropToImage, crop.within, row, network.px),
    read: (_i: number, output: any) => {
      const numbers = output("points") as Float32Array;
      const landmarks = Array.from({ length: numbers.length / 2 }, (_, i) =>
        apply(crop.cropToImage, { x: numbers[2 * i]! * network.px, y: numbers[2 * i + 1]! * network.px }));
      out = { landmarks, chipToImage: fitSimilarity(template.points, fittedLandmarks(landmarks, template)) };
    },
  });
  return out;
}
const parts: Record<string, [number, number]> = { jaw: [0, 16], brows: [17, 26], nose: [27, 35], eyes: [36, 47], mouth: [48, 67] };
function partDrift(a: any, b: any, [from, to]: [number, number]) {
  let s = 0;
  for (let i = from; i <= to; i++) s += (a.landmarks[i].x - b.landmarks[i].x) ** 2 + (a.landmarks[i].y - b.landmarks[i].y) ** 2;
  return Math.sqrt(s / (to - from + 1)) / scaleOf(b.chipToImage);
}
async function features(pixels: any) {
  const o = { align: true, enforceDetection: true, facesMax: 1, fullResolution: false };
  const image = { ...pixels, originalWidth: pixels.width, originalHeight: pixels.height, options: o };
  const { results } = await lanes.run({ lane: laneId("Dlib", "ssd"), images: [image] });
  const [r] = results;
  if (r?.kind !== "faces") return undefined;
  const face = r.faces[0]!;
  const found = (await detector.detect([image])).detections[0]!;
  const cx = face.area.x + face.area.w / 2, cy = face.area.y + face.area.h / 2;
  const box = found.find((b: any) => b.left < cx && cx < b.right && b.top < cy && cy < b.bottom) ?? found[0];
  if (!box) return undefined;
  const boxed = await fit(image, boxCrop(box.landmarkBox, network.px));
  const upright = await fit(image, uprightCrop(boxed.chipToImage, template, image, network.px));
  const again = await fit(image, uprightCrop(upright.chipToImage, template, image, network.px));
  const leans = [];
  for (const crop of leaningCrops(upright.chipToImage, template, image, network.px)) leans.push(await fit(image, crop));
  const fitted = fittedLandmarks(upright.landmarks, template);
  const f: Record<string, number> = {
    drift: driftBetween(boxed, upright),
    residual: residualOf(upright.chipToImage, template.points, fitted),
    settle: driftBetween(upright, again),
    lean: Math.max(...leans.map((l) => driftBetween(l, upright))),
    leanMin: Math.min(...leans.map((l) => driftBetween(l, upright))),
    width: widthRatio(upright.chipToImage, template.points, fitted),
    score: face.confidence,
    norm: Math.hypot(...decodeEmbedding(face.embedding)),
  };
  for (const [name, range] of Object.entries(parts)) {
    f[`drift_${name}`] = partDrift(boxed, upright, range);
    f[`lean_${name}`] = Math.max(...leans.map((l) => partDrift(l, upright, range)));
  }
  // residual by part
  const res = (from: number, to: number) => {
    let s = 0, n = 0;
    template.fitted.forEach((lm, i) => {
      if (lm < from || lm > to) return;
      const m = apply(upright.chipToImage, template.points[i]!);
      s += (m.x - fitted[i]!.x) ** 2 + (m.y - fitted[i]!.y) ** 2; n++;
    });
    return Math.sqrt(s / n) / scaleOf(upright.chipToImage);
  };
  for (const [name, [a, b]] of Object.entries(parts)) if (name !== "jaw" && name !== "brows") f[`res_${name}`] = res(a, b);
  // pixels: contrast of parts of the square
  const squareToImage = composed(ovalSquareToChip(template), upright.chipToImage);
  const rgb = new Uint8Array(3 * ovalSquarePx ** 2);
  warp.draw(image, squareToImage, wholeBox(image), rgb, ovalSquarePx);
  const lum = Float32Array.from({ length: ovalSquarePx ** 2 }, (_, i) => 0.299 * rgb[3 * i]! + 0.587 * rgb[3 * i + 1]! + 0.114 * rgb[3 * i + 2]!);
  // eyes at (24,26) and (56,26); 32 px between
  const std = (x0: number, x1: number, y0: number, y1: number) => {
    let s = 0, q = 0, n = 0;
    for (let y = y0; y < y1; y++) for (let x = x0; x < x1; x++) { const v = lum[y * ovalSquarePx + x]!; s += v; q += v * v; n++; }
    return Math.sqrt(Math.max(0, q / n - (s / n) ** 2));
  };
  const mean = (x0: number, x1: number, y0: number, y1: number) => {
    let s = 0, n = 0;
    for (let y = y0; y < y1; y++) for (let x = x0; x < x1; x++) { s += lum[y * ovalSquarePx + x]!; n++; }
    return s / n;
  };
  f.std_mouth = std(28, 53, 54, 68);
  f.std_eyes = (std(18, 31, 22, 31) + std(50, 63, 22, 31)) / 2;
  f.std_all = std(15, 65, 18, 70);
  f.mouth_share = f.std_mouth / f.std_all;
  f.eyes_share = f.std_eyes / f.std_all;
  // eyes darker than cheeks below
  f.halves = Math.abs(mean(15, 38, 18, 70) - mean(42, 65, 18, 70));
  // mirrored correlation
  {
    let sx = 0, sy = 0, n = 0;
    const a: number[] = [], b: number[] = [];
    for (let y = 18; y < 70; y++) for (let x = 15; x < 40; x++) { a.push(lum[y * ovalSquarePx + x]!); b.push(lum[y * ovalSquarePx + 80 - x]!); n++; }
    sx = a.reduce((p, c) => p + c, 0) / n; sy = b.reduce((p, c) => p + c, 0) / n;
    let sab = 0, saa = 0, sbb = 0;
    for (let i = 0; i < n; i++) { sab += (a[i]! - sx) * (b[i]! - sy); saa += (a[i]! - sx) ** 2; sbb += (b[i]! - sy) ** 2; }
    f.mirror = sab / Math.sqrt(saa * sbb);
  }
  const q = face.quality!;
  f.yaw = q.yaw; f.pitch = q.pitch; f.sharp = q.sharpness; f.eyepx = q.eye_distance_px;
  // alternative pitches
  f.issues = qualityIssues(q).length;
  (f as any).issueNames = qualityIssues(q).join("+");
  return { f, face, embedding: decodeEmbedding(face.embedding), landmarks: upright.landmarks };
}
void eyesOf; void pointsByLandmark; void meter; void ovalSquarePx;
function withoutSide({ pixels, width, height }: any, { x, y, w, h }: any) {
  const covered = Uint8Array.from(pixels);
  const [from, to] = [Math.round(x - w / 4), Math.round(x + w / 2)];
  for (let row = Math.max(0, y - h); row < Math.min(height, y + 2 * h); row++)
    covered.fill(90, 3 * (row * width + Math.max(0, from)), 3 * (row * width + to));
  return { pixels: covered, width, height };
}
const rows: any[] = [];
const covers: Record<string, (p: any, a: any) => any> = { mask: withMask, glasses: withGlasses, half: withoutSide, both: (p, a) => withMask(withGlasses(p, a), a) };
const sets = [labelledSet(), heldOutSet(process.argv[2]!)!];
for (const set of sets) {
  for (const image of set.images) {
    const pixels = await image.open();
    const clear = await features(pixels);
    rows.push({ set: set.name, name: image.name, person: image.person, cond: "clear", ...(clear ? { ...clear.f, lm: clear.landmarks.map((p: any) => [Math.round(p.x * 100) / 100, Math.round(p.y * 100) / 100]) } : { refused: true }) });
    if (!clear || !(set.name === "labelled" || image.isProbe)) continue;
    for (const [cond, draw] of Object.entries(covers)) {
      const got = await features(draw(pixels, clear.face.area));
      rows.push({ set: set.name, name: image.name, person: image.person, cond,
        ...(got ? { ...got.f, own: distances.cosine(got.embedding, clear.embedding) } : { refused: true }) });
    }
  }
}
for (const name of sampleImageNames) {
  const c = await features(await engineImage(sampleImage(name)));
  rows.push({ set: "drawn", name, cond: "clear", ...(c?.f ?? { refused: true }) });
}
writeFileSync("/tmp/cards-exp/cover.json", JSON.stringify(rows));
void groupPhotograph;
console.log(rows.length);
await lanes[Symbol.asyncDispose]();
await loader[Symbol.asyncDispose]();
