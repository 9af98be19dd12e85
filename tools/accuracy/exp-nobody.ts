import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { openLanes } from "@faceline/inference/engine/lanes";
import { oneAtATime } from "@faceline/inference/testing/lane-settings";
import { mulberry32 } from "@faceline/contracts/testing/mulberry32";
import { builtModels, engineImage, groupPhotograph, labelledNames, labelledPhotograph } from "@faceline/inference/testing/photographs";
import { ModelLoader } from "@faceline/inference/network/model-loader";
import { readCatalogue } from "@faceline/models/catalogue";
import { Aligner } from "@faceline/inference/align/aligner";
import { alignmentTemplates } from "@faceline/inference/align/templates";
import { Warp } from "@faceline/inference/geometry/warp";
import sharp from "sharp";
import { open, pixelsOf } from "./scenes.ts";
import { detectionScenes } from "./detection-scenes.ts";
import { openReferences } from "./detection-lanes.ts";

const modelsDir = await builtModels();
const laneNames = process.argv[2]!.split(",") as any[];
const lanes = await openLanes({ ...oneAtATime, modelsDir, lanes: laneNames });
const run = async (lane: any, image: any, options: any) => {
  const whole = { ...image, originalWidth: image.width, originalHeight: image.height, options: { align: true, enforceDetection: true, facesMax: 100, fullResolution: true, ...options } };
  const { results, usage } = await lanes.run({ lane, images: [whole] });
  return { faces: results[0]!.kind === "faces" ? results[0]!.faces : [], usage };
};
const out: any = { nobody: {}, groups: {}, boxes: {} };

// 1. pictures without a face
const pictures: { name: string; image: any }[] = [];
const dir = "/tmp/cards-exp/pk/sk/skimage/data";
for (const file of readdirSync(dir).filter((f) => /\.(png|jpg)$/.test(f) && !/astronaut|camera/.test(f))) {
  const whole = await pixelsOf(sharp(readFileSync(`${dir}/${file}`)).removeAlpha().toColourspace("srgb").resize({ width: 900, height: 900, fit: "inside", withoutEnlargement: true }).removeAlpha());
  if (whole.pixels.length !== 3 * whole.width * whole.height) { console.log("skip", file); continue; }
  const add = async (how: string, s: any) => pictures.push({ name: `skimage ${file} ${how}`, image: await pixelsOf(s) });
  await add("as is", open(whole)); await add("dark", open(whole).linear(0.1, 0)); await add("mirror", open(whole).flop());
  const [w, h] = [whole.width >> 1, whole.height >> 1];
  for (const [i, [l, t]] of [[0, 0], [w, 0], [0, h], [w, h]].entries()) await add(`quarter ${i}`, open(whole).extract({ left: l!, top: t!, width: w, height: h }));
}
const random = mulberry32(49);
for (let i = 0; i < 120; i++) {
  const [width, height] = [640, 480];
  const pixels = new Uint8Array(3 * width * height);
  const kind = i % 6;
  const c = Array.from({ length: 12 }, () => random());
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) for (let k = 0; k < 3; k++) {
    let v = 0;
    if (kind === 0) v = 255 * random();
    else if (kind === 1) v = 255 * (x / width * c[k]! + y / height * c[k + 3]!);
    else if (kind === 2) v = 127 + 127 * Math.sin(x * c[0]! / 3 + y * c[1]! / 3 + k * c[2]!);
    else if (kind === 3) v = 127 + 60 * Math.sin(x * c[0]! / 20) + 60 * Math.cos(y * c[1]! / 20 + 3 * Math.sin(x * c[2]! / 40)) + 20 * c[k + 3]!;
    else if (kind === 4) { // smiley
      const [cx, cy, s] = [220 + 200 * c[0]!, 170 + 140 * c[1]!, 0.5 + c[2]!];
      const [dx, dy] = [(x - cx) / s, (y - cy) / s];
      const eye = Math.hypot(Math.abs(dx) - 55, dy + 50) < 18, mouth = Math.abs(Math.hypot(dx, dy - 10) - 90) < 6 && dy > 50, head = Math.hypot(dx, dy) < 150;
      v = eye || mouth ? 0 : head ? [255, 221, 0][k]! : 255 * c[k + 3]!;
    } else { // ellipse of skin colour without parts
      const [cx, cy, s] = [220 + 200 * c[0]!, 170 + 140 * c[1]!, 60 + 120 * c[2]!];
      v = Math.hypot((x - cx) / s, (y - cy) / (1.3 * s)) < 1 ? [225, 172, 140][k]! - 60 * Math.abs((x - cx) / s) : 255 * c[k + 3]!;
    }
    pixels[3 * (y * width + x) + k] = Math.max(0, Math.min(255, v));
  }
  pictures.push({ name: `made ${kind} ${i}`, image: { pixels, width, height } });
}
const references = await openReferences(modelsDir, labelledNames().toSorted());
for (const scene of detectionScenes.filter((s) => s.group === "nobody"))
  for (const [i, known] of references.entries()) {
    const made = await scene.make(known);
    if (made) pictures.push({ name: `crop ${labelledNames().toSorted()[i]} ${scene.name}`, image: made.image });
  }
out.nobody.pictures = pictures.length;
for (const p of pictures) { const k = p.name.split(" ")[0]!; out.nobody[k] = (out.nobody[k] ?? 0) + 1; }
for (const lane of laneNames) {
  const taken: any[] = [];
  for (const { name, image } of pictures) {
    for (const fullResolution of [false, true]) {
      const { faces } = await run(lane, image, { facesMax: fullResolution ? 100 : 1, fullResolution });
      if (faces.length) taken.push([name, fullResolution ? "all" : "one", faces.length, faces[0]!.area, faces[0]!.confidence]);
    }
  }
  out.nobody[lane] = taken;
}
// 2. groups
for (const lane of laneNames) {
  out.groups[lane] = {};
  for (let n = 1; n <= 6; n++) {
    const { faces } = await run(lane, await engineImage(groupPhotograph(n)), {});
    out.groups[lane][`sample${n}`] = [faces.length, faces.map((f: any) => [f.area.x, f.area.y, f.area.w, f.area.h])];
  }
  const gallery = await pixelsOf(sharp("/tmp/cards-exp/pk/package/assets/screenshot-facematch.jpg").extract({ left: 0, top: 283, width: 1920, height: 671 }));
  out.groups[lane].gallery = (await run(lane, gallery, {})).faces.length;
}
// 3. boxes without a face
{
  const catalogue = await readCatalogue();
  const loader = new ModelLoader(catalogue, { ...oneAtATime, modelsDir });
  const landmarker = catalogue.find("landmarks", "landmarks-68")!;
  const warp = new Warp();
  const aligner = new Aligner((await loader.load(landmarker, 1)).networks.at(-1)!, warp, alignmentTemplates[landmarker.scheme]);
  let boxes = 0, pass = 0;
  const passed: any[] = [];
  for (const [i, { image, area }] of references.entries()) {
    for (let n = 0, tries = 0; n < 10 && tries < 400; tries++) {
      const side = area.w * (0.5 + 0.8 * random());
      const [left, top] = [random() * (image.width - side), random() * (image.height - side)];
      const box = { left, top, right: left + side, bottom: top + side };
      // Nothing of the face's box.
      if (left < 0 || top < 0 || (box.left < area.x + area.w && area.x < box.right && box.top < area.y + area.h && area.y < box.bottom)) continue;
      n++; boxes++;
      const { alignments } = await aligner.align([{ image, box }]);
      if (alignments[0]!.isFace) { pass++; passed.push([labelledNames().toSorted()[i], box, alignments[0]!.eyes]); }
    }
  }
  out.boxes = { boxes, pass, passed };
  await loader[Symbol.asyncDispose]();
}
void labelledPhotograph;
writeFileSync(process.argv[3]!, JSON.stringify(out, null, 1));
for (const lane of laneNames) console.log(lane, "taken", out.nobody[lane].length, "of", pictures.length, JSON.stringify(out.nobody[lane]).slice(0, 3000), JSON.stringify(Object.entries(out.groups[lane]).map(([k, v]: any) => [k, v[0] ?? v])));
console.log(JSON.stringify(out.nobody, (k, v) => (Array.isArray(v) ? undefined : v)), JSON.stringify(out.boxes).slice(0, 600));
await lanes[Symbol.asyncDispose]();
