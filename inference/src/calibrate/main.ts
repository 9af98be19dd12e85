import { readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  CALIBRATION,
  type Calibration,
  catalogueFolder,
  type Model,
  readCatalogue,
} from "@faceline/models/catalogue";
import { convert, convertObserved } from "@faceline/models/convert/networks";
import { sha256 } from "@faceline/models/model-file";
import * as ort from "@faceline/models/onnxruntime";
import { openCrops } from "./crops.ts";
import { Clipping, Reach } from "./ranges.ts";

// npm run models -- calibrate [FOLDER] [--write]
//
// Measures what the numbers of each layer reach in float32, over the faces of pictures. Without --write it tells how many
// of them the int8 builds of the catalogue would clip; with it, the catalogue gets new ranges, and the int8 builds their
// new checksums. The pictures are those that come with the weights, unless a folder is told.

const HEADROOM = 1.1;

const { values, positionals } = parseArgs({
  options: { write: { type: "boolean", default: false } },
  allowPositionals: true,
});
const folder = resolve(positionals[0] ?? samplesFolder());
const files = (await readdir(folder).catch(() => [])).filter(isPicture).toSorted();
if (files.length === 0) {
  console.error(`There is no .jpg, .png or .webp in ${folder}.`);
  process.exit(1);
}

const catalogue = await readCatalogue();
const named = (name: string): Model => catalogue.models.find((model) => model.name === name)!;
const calibrated = [named("landmarks-68"), named("Dlib")] as const;
const crops = await openCrops(catalogue.find("detector", "ssd")!, ...calibrated);
for (const [index, file] of files.entries()) {
  await crops.look(await readFile(join(folder, file)));
  process.stderr.write(`\r${index + 1} of ${files.length} pictures, ${crops.of(named("Dlib")).length} faces`);
}
process.stderr.write("\n");
for (const model of calibrated) await (values.write ? write(model) : report(model));

async function report(model: Model): Promise<void> {
  const clipping = new Clipping(model.calibration?.ranges ?? {});
  await observe(model, clipping);
  const { layer, worst, all } = clipping.shares();
  const share = (part: number) => `${(100 * part).toFixed(4)} %`;
  const crop = `${model.name}: of ${crops.of(model).length} crops`;
  console.log(`${crop} ${share(all)} of all numbers are clipped, most in ${layer}: ${share(worst)}`);
}

async function write(model: Model): Promise<void> {
  const reach = new Reach();
  await observe(model, reach);
  const source =
    positionals.length === 0 ? "the samples of @vladmandic/face-api" : "a folder of the operator's";
  const calibration: Calibration = {
    measured_on: `${crops.of(model).length} crops: the faces of ${files.length} pictures (${source}), as they are, mirrored, darker, brighter and leaning`,
    headroom: HEADROOM,
    ranges: reach.ranges(HEADROOM),
  };
  const place = await placeOf(model);
  await writeFile(join(place, CALIBRATION), jsonOf(calibration));
  const entry = join(place, "model.json");
  const json = JSON.parse(await readFile(entry, "utf8")) as Model;
  for (const build of json.builds.filter(({ precision }) => precision === "int8")) {
    const onnx = await convert({ ...model, calibration }, build);
    build.bytes = onnx.length;
    build.sha256 = sha256(onnx);
  }
  await writeFile(entry, jsonOf(json));
  console.log(`${model.name}: written; "npm run fix" brings the files into shape`);
}

async function observe(
  model: Model,
  observer: { see(layer: string, numbers: Float32Array): void },
): Promise<void> {
  const { onnx, layers } = await convertObserved(model, model.input_px);
  const session = await ort.InferenceSession.create(onnx);
  for (const pixels of crops.of(model)) {
    const image = new ort.Tensor("uint8", pixels, [1, model.input_px, model.input_px, 3]);
    const outputs = await session.run({ image }, layers);
    for (const layer of layers) observer.see(layer, outputs[layer]!.data as Float32Array);
  }
  await session.release();
}

function isPicture(name: string): boolean {
  return /\.(jpe?g|png|webp)$/i.test(name);
}

async function placeOf(model: Model): Promise<string> {
  for (const name of await readdir(catalogueFolder)) {
    const { name: told } = JSON.parse(await readFile(join(catalogueFolder, name, "model.json"), "utf8"));
    if (told === model.name) return join(catalogueFolder, name);
  }
  throw new Error(`the catalogue has no folder of ${model.name}`);
}

function samplesFolder(): string {
  return join(dirname(createRequire(import.meta.url).resolve("@vladmandic/face-api/package.json")), "demo");
}

function jsonOf(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
