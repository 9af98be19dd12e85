import { readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { calibrationFile, catalogueFolder, readCatalogue } from "@faceline/models/catalogue";
import type { Calibration, Model } from "@faceline/models/catalogue-entry";
import { convert, convertObserved } from "@faceline/models/convert/networks";
import { sha256 } from "@faceline/models/model-file";
import * as ort from "@faceline/models/onnxruntime";
import { openCrops } from "./crops.ts";
import { MeasuredRanges } from "./ranges.ts";

// node tools/int8-ranges/main.ts [FOLDER]
//
// Measures the range of each layer's numbers in float32, over the faces of images, and stores ranges and the
// new checksums of the int8 builds in the catalogue. Without a folder, it uses the images that come with the
// weights. A new calibration.json needs only its headroom and percentile.

const [ownFolder] = process.argv.slice(2);
const folder = resolve(ownFolder ?? samplesFolder());
const files = (await readdir(folder).catch(() => [])).filter(isImage).toSorted();
if (files.length === 0) {
  console.error(`There is no .jpg, .png or .webp in ${folder}.`);
  process.exit(1);
}

const catalogue = await readCatalogue();
for (const model of catalogue.all("embedding").filter(({ calibration }) => calibration !== undefined)) {
  const landmarks = catalogue.find("landmarks", model.landmarks)!;
  const crops = await openCrops(catalogue.find("detector", "ssd")!, landmarks, model);
  for (const [index, file] of files.entries()) {
    await crops.add(await readFile(join(folder, file)));
    process.stderr.write(
      `\r${model.name}: ${index + 1} of ${files.length} images, ${crops.all.length} faces`,
    );
  }
  process.stderr.write("\n");
  await write(model, crops.all);
}

async function write(model: Model, crops: readonly Uint8Array[]): Promise<void> {
  const { headroom, percentile } = model.calibration!;
  const ranges = new MeasuredRanges();
  const { onnx, layers } = await convertObserved(model, model.input_px);
  const session = await ort.createSession(onnx);
  for (const pixels of crops) {
    const image = new ort.Tensor("uint8", pixels, [1, model.input_px, model.input_px, 3]);
    const outputs = await session.run({ [model.tensors.inputs[0]!.name]: image }, layers);
    for (const layer of layers) {
      const { data, dims } = outputs[layer]!;
      ranges.add(layer, data as Float32Array, dims[1]!);
    }
  }
  await session.release();
  const source =
    ownFolder === undefined ? "the samples of @vladmandic/face-api" : "a folder of the operator's";
  const calibration: Calibration = {
    measured_on: `${crops.length} crops: the faces of ${files.length} images (${source}), as they are, mirrored, darker, brighter and leaning`,
    headroom,
    ...(percentile !== undefined && { percentile }),
    ...ranges.within({ headroom, percentile }),
  };
  const entryFolder = join(catalogueFolder, model.name.toLowerCase());
  await writeFile(join(entryFolder, calibrationFile), jsonOf(calibration));
  const entry = join(entryFolder, "model.json");
  const json = JSON.parse(await readFile(entry, "utf8")) as Model;
  for (const build of json.builds.filter(({ precision }) => precision === "int8")) {
    const onnx = await convert({ ...model, calibration }, build);
    build.bytes = onnx.length;
    build.sha256 = sha256(onnx);
  }
  await writeFile(entry, jsonOf(json));
  console.log(`${model.name}: written`);
}

function isImage(name: string): boolean {
  return /\.(jpe?g|png|webp)$/i.test(name);
}

function samplesFolder(): string {
  return join(dirname(createRequire(import.meta.url).resolve("@vladmandic/face-api/package.json")), "demo");
}

function jsonOf(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
