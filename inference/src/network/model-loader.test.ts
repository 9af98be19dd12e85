import assert from "node:assert/strict";
import { symlink, writeFile } from "node:fs/promises";
import { type TestContext, test } from "node:test";
import { Catalogue, readCatalogue } from "@faceline/models/catalogue";
import type { Model } from "@faceline/models/catalogue-entry";
import { convert } from "@faceline/models/convert/networks";
import { modelFile, sha256 } from "@faceline/models/model-file";
import { temporaryFolder } from "@faceline/models/testing/temporary-folder";
import { builtModels } from "../../testing/photographs.ts";
import { ModelLoader } from "./model-loader.ts";
import { PrecisionSetting } from "./precision.ts";

const landmarksName = "landmarks-68";
const whole = await readCatalogue();
const landmarks = whole.find("landmarks", landmarksName)!;
const modelsDir = await builtModels();

test("int8 runs where it was required and agrees with float", async (t) => {
  const loader = openLoader(t, "int8");
  assert.deepEqual((await loader.load(landmarks, 1)).precision, networkPrecision("int8", false));
  assert.deepEqual(loader.fallbacks, []);
});

test("float that was chosen because it is as fast is no fallback", async (t) => {
  const loader = openLoader(t, "auto");
  const { precision } = await loader.load(landmarks, 1);
  assert.deepEqual(precision, networkPrecision(precision.precision, false));
  assert.deepEqual(loader.fallbacks, []);
});

test("int8 that deviates falls back to float, with a reason", async (t) => {
  const files = await damaged(t);
  const loader = openLoader(t, "auto", files);
  const { precision, networks } = await loader.load(files.landmarks!, 1);
  assert.deepEqual(precision, networkPrecision("float32", true));
  assert.equal(networks.length, 1);
  assert.match(
    loader.fallbacks.join(),
    /^landmarks-68 in int8 deviates from float: a landmark is \d\.\d\d of/,
  );
});

test("int8 that deviates is an error where it was required, and is not compared where it was not", async (t) => {
  const files = await damaged(t);
  for (const setting of ["int8", `${landmarksName}=int8`]) {
    await assert.rejects(
      openLoader(t, setting, files).load(files.landmarks!, 1),
      /^Error: PRECISION asks for int8, but on this CPU landmarks-68 in int8 deviates from float: .*[^\n]$/,
    );
  }
  const float = openLoader(t, "float", files);
  assert.deepEqual((await float.load(files.landmarks!, 1)).precision, networkPrecision("float32", false));
  assert.deepEqual(float.fallbacks, []);
});

test("PRECISION with unknown models is an error that names all of them", (t) => {
  assert.throws(
    () => openLoader(t, "sdd=float,ssd=float,dlib=int8"),
    /^Error: PRECISION names unknown models: sdd, dlib; there are Dlib, MobileFaceNet, blazeface, faceboxes, landmarks-68, ssd, tiny$/,
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
  model: landmarksName,
  precision,
  fallback,
  sha256: landmarks.builds.find((build) => build.precision === precision)!.sha256,
});

/** A catalogue whose landmark model has a wrong scale in one int8 layer, and a folder with its files. */
async function damaged(t: TestContext): Promise<Variation> {
  const folder = await temporaryFolder(t);
  const model = whole.find("landmarks", landmarksName)!;
  const { calibration } = model;
  assert.ok(calibration);
  const ranges = { ...calibration.ranges, "dense1/sum1": [-0.01, 0.01] as [number, number] };
  const variant = { precision: "int8", input_px: model.input_px } as const;
  const onnx = await convert({ ...model, calibration: { ...calibration, ranges } }, variant);

  const builds = model.builds.map((build) =>
    build.precision === "int8" ? { ...build, bytes: onnx.length, sha256: sha256(onnx) } : build,
  );
  const wrong: Model = { ...model, builds };
  await writeFile(modelFile(folder, wrong, variant), onnx);
  const float = { ...variant, precision: "float32" } as const;
  await symlink(modelFile(modelsDir, model, float), modelFile(folder, wrong, float));
  return {
    folder,
    landmarks: wrong,
    catalogue: new Catalogue(whole.models.map((each) => (each === model ? wrong : each))),
  };
}

type Variation = { catalogue?: Catalogue; landmarks?: Model; folder?: string };
