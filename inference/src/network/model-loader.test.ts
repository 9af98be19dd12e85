import assert from "node:assert/strict";
import { readFile, symlink, writeFile } from "node:fs/promises";
import { type TestContext, test } from "node:test";
import { Catalogue, readCatalogue } from "@faceline/models/catalogue";
import type { Build, Model } from "@faceline/models/catalogue-entry";
import { modelFile, sha256 } from "@faceline/models/model-file";
import { temporaryFolder } from "@faceline/models/testing/temporary-folder";
import { builtModels } from "../../testing/photographs.ts";
import { ModelLoader } from "./model-loader.ts";
import { PrecisionSetting } from "./precision.ts";

const whole = await readCatalogue();
const dlib = whole.find("embedding", "Dlib")!;
const ssd = whole.find("detector", "ssd")!;
const modelsDir = await builtModels();

test("the int8 builds of a model run where all sides agree with float, required or not", async (t) => {
  for (const setting of ["auto", "int8"]) {
    const loader = openLoader(t, setting);
    assert.deepEqual((await loader.load(dlib, 1)).precision, networkPrecision("int8", false));
    assert.equal((await loader.load(ssd, 1)).precision.precision, "int8");
  }
});

test("int8 that deviates at the largest side alone falls back to float at all of them", async (t) => {
  const files = await damaged(t, ssd, 1 / 127.5);
  const { precision, networks } = await openLoader(t, "auto", files).load(files.model!, 1);
  assert.deepEqual([precision.precision, networks.length], ["float32", 3]);
  assert.match(precision.deviation!, /^ssd in int8 deviates from float at 512 px: a /);
});

test("int8 that deviates falls back to float, with a reason", async (t) => {
  const files = await damaged(t);
  const loader = openLoader(t, "auto", files);
  const { precision, networks } = await loader.load(files.model!, 1);
  const { deviation, ...others } = precision;
  assert.deepEqual(others, networkPrecision("float32", true));
  assert.equal(networks.length, 1);
  assert.match(deviation!, /^Dlib in int8 deviates from float at 150 px: its embedding is \d\.\d\d of/);
});

test("int8 that deviates is an error where it was required, and is not compared where it was not", async (t) => {
  const files = await damaged(t);
  for (const setting of ["int8", "Dlib=int8"]) {
    await assert.rejects(
      openLoader(t, setting, files).load(files.model!, 1),
      /^Error: PRECISION asks for int8, but on this CPU Dlib in int8 deviates from float at 150 px: .*[^\n]$/,
    );
  }
  const float = openLoader(t, "float", files);
  assert.deepEqual((await float.load(files.model!, 1)).precision, networkPrecision("float32", false));
});

test("PRECISION with unknown models is an error that names all of them", (t) => {
  assert.throws(
    () => openLoader(t, "sdd=float,ssd=float,dlib=int8"),
    /^Error: PRECISION names unknown models: sdd, dlib; there are Dlib, MobileFaceNet, SFace, blazeface, faceboxes, landmarks-68, ssd, yunet$/,
  );
});

function openLoader(t: TestContext, precision: string, variation: Variation = {}): ModelLoader {
  const { catalogue = whole, folder = modelsDir } = variation;
  const loader = new ModelLoader(catalogue, optionsOf(precision, folder));
  t.after(() => loader[Symbol.asyncDispose]());
  return loader;
}

const optionsOf = (precision: string, folder = modelsDir) => ({
  modelsDir: folder,
  executionProvider: "cpu" as const,
  intraOpThreads: 1,
  precision: PrecisionSetting.parse(precision),
});

const networkPrecision = (precision: string, fallback: boolean) => ({
  model: "Dlib",
  precision,
  fallback,
  sha256: dlib.builds.find((build) => build.precision === precision)!.sha256,
});

/**
 * A catalogue whose model has a wrong scale of the pixels in its largest int8 build, and a folder with its
 * files. `pixelScale` is the right one.
 */
async function damaged(t: TestContext, model: Model = dlib, pixelScale = 1 / 255): Promise<Variation> {
  const folder = await temporaryFolder(t);
  const px = model.input_px;
  const isWrong = (build: Build) => build.precision === "int8" && build.input_px === px;
  const onnx = await readFile(modelFile(modelsDir, model, { precision: "int8", input_px: px }));
  const [right, wrongScale] = [pixelScale, 9 * pixelScale].map((scale) =>
    Buffer.from(Float32Array.of(scale).buffer),
  );
  const at = onnx.indexOf(right!);
  assert.ok(at > 0);
  onnx.set(wrongScale!, at);
  const builds = model.builds.map((build) => (isWrong(build) ? { ...build, sha256: sha256(onnx) } : build));
  const wrong: Model = { ...model, builds };
  for (const build of builds) {
    const path = modelFile(folder, wrong, build);
    await (isWrong(build) ? writeFile(path, onnx) : symlink(modelFile(modelsDir, model, build), path));
  }
  return {
    folder,
    model: wrong,
    catalogue: new Catalogue(whole.models.map((each) => (each === model ? wrong : each))),
  };
}

type Variation = { catalogue?: Catalogue; model?: Model; folder?: string };
