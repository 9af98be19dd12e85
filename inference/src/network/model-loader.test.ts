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

const whole = await readCatalogue();
const dlib = whole.find("embedding", "Dlib")!;
const modelsDir = await builtModels();

test("the int8 build of a model runs where it agrees with float, required or not", async (t) => {
  for (const setting of ["auto", "int8"]) {
    const loader = openLoader(t, setting);
    assert.deepEqual((await loader.load(dlib, 1)).precision, networkPrecision("int8", false));
  }
});

test("int8 that deviates falls back to float, with a reason", async (t) => {
  const files = await damaged(t);
  const loader = openLoader(t, "auto", files);
  const { precision, networks } = await loader.load(files.model!, 1);
  const { deviation, ...others } = precision;
  assert.deepEqual(others, networkPrecision("float32", true));
  assert.equal(networks.length, 1);
  assert.match(deviation!, /^Dlib in int8 deviates from float: its embedding is \d\.\d\d of/);
});

test("int8 that deviates is an error where it was required, and is not compared where it was not", async (t) => {
  const files = await damaged(t);
  for (const setting of ["int8", "Dlib=int8"]) {
    await assert.rejects(
      openLoader(t, setting, files).load(files.model!, 1),
      /^Error: PRECISION asks for int8, but on this CPU Dlib in int8 deviates from float: .*[^\n]$/,
    );
  }
  const float = openLoader(t, "float", files);
  assert.deepEqual((await float.load(files.model!, 1)).precision, networkPrecision("float32", false));
});

test("PRECISION with unknown models is an error that names all of them", (t) => {
  assert.throws(
    () => openLoader(t, "sdd=float,ssd=float,dlib=int8"),
    /^Error: PRECISION names unknown models: sdd, dlib; there are Dlib, MobileFaceNet, SFace, blazeface, faceboxes, landmarks-68, ssd, tiny, yunet$/,
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

/** A catalogue whose embedding model has a wrong scale in one int8 layer, and a folder with its files. */
async function damaged(t: TestContext): Promise<Variation> {
  const folder = await temporaryFolder(t);
  const { calibration } = dlib;
  assert.ok(calibration);
  const ranges = { ...calibration.ranges, "conv256_2/relu": [0, 0.01] as [number, number] };
  const variant = { precision: "int8", input_px: dlib.input_px } as const;
  const onnx = await convert({ ...dlib, calibration: { ...calibration, ranges } }, variant);

  const builds = dlib.builds.map((build) =>
    build.precision === "int8" ? { ...build, bytes: onnx.length, sha256: sha256(onnx) } : build,
  );
  const wrong: Model = { ...dlib, builds };
  await writeFile(modelFile(folder, wrong, variant), onnx);
  const float = { ...variant, precision: "float32" } as const;
  await symlink(modelFile(modelsDir, dlib, float), modelFile(folder, wrong, float));
  return {
    folder,
    model: wrong,
    catalogue: new Catalogue(whole.models.map((each) => (each === dlib ? wrong : each))),
  };
}

type Variation = { catalogue?: Catalogue; model?: Model; folder?: string };
