import assert from "node:assert/strict";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Catalogue, type Model, readCatalogue } from "@faceline/models/catalogue";
import { convert } from "@faceline/models/convert/networks";
import { modelFile, sha256 } from "@faceline/models/model-file";
import { Loading } from "./loading.ts";
import { builtModels } from "./photographs.ts";
import { PrecisionWishes } from "./precision.ts";
import { clipsSums } from "./sums.ts";

const NAME = "landmarks-68";
const whole = await readCatalogue();
const modelsDir = await builtModels();

test("int8 that says what float says is run", { skip: await cannotSay() }, async (t) => {
  const loads = loading(t, "auto");
  assert.deepEqual((await loads.load("landmarks", NAME, 1)).precision, told("int8", false));
  assert.deepEqual(loads.fallbacks, []);
});

test("where sums are clipped nothing runs in int8, whatever it says of a picture", async (t) => {
  const loads = loading(t, "auto", { clips: true });
  assert.deepEqual((await loads.load("landmarks", NAME, 1)).precision, told("float32", true));
  assert.match(loads.fallbacks.join(), /^landmarks-68 in int8 .*: this CPU clips sums/);
});

test("int8 that strays falls back to float, and says why", async (t) => {
  const loads = loading(t, "auto", await damaged(t));
  const { precision, networks } = await loads.load("landmarks", NAME, 1);
  assert.deepEqual(precision, told("float32", true));
  assert.equal(networks.length, 1);
  assert.match(loads.fallbacks.join(), /^landmarks-68 in int8 does not say .*: a landmark is \d\.\d\d of/);
});

test("int8 that strays is refused where it was asked for, and not looked at where it was not", async (t) => {
  const files = await damaged(t);
  for (const wish of ["int8", `${NAME}=int8`]) {
    await assert.rejects(
      loading(t, wish, files).load("landmarks", NAME, 1),
      /^Error: PRECISION asks for int8, but on this CPU landmarks-68 in int8 does not say .*[^\n]$/,
    );
  }
  const float = loading(t, "float", files);
  assert.deepEqual((await float.load("landmarks", NAME, 1)).precision, told("float32", false));
  assert.deepEqual(float.fallbacks, []);
});

test("sums are computed once, however many models ask", async (t) => {
  let times = 0;
  const loads = new Loading(whole, optionsOf("auto"), async () => {
    times++;
    return true;
  });
  t.after(() => loads[Symbol.asyncDispose]());
  await loads.load("landmarks", NAME, 1);
  await loads.load("embedding", "Dlib", 1);
  assert.equal(times, 1);
});

test("a wish for a model that is not there stops the start", (t) => {
  assert.throws(() => loading(t, "sdd=float"), /^Error: PRECISION names sdd, which is no model$/);
});

async function cannotSay(): Promise<string | false> {
  return (await clipsSums({ executionProvider: "cpu", intraOpThreads: 1 })) && "this CPU clips sums";
}

function loading(t: TestContext, precision: string, staged: Staged = {}): Loading {
  const { catalogue = whole, folder = modelsDir, clips = false } = staged;
  const loads = new Loading(catalogue, optionsOf(precision, folder), async () => clips);
  t.after(() => loads[Symbol.asyncDispose]());
  return loads;
}

const optionsOf = (precision: string, folder = modelsDir) => ({
  modelsDir: folder,
  executionProvider: "cpu" as const,
  intraOpThreads: 1,
  precision: PrecisionWishes.parse(precision),
});

const told = (precision: string, fallback: boolean) => ({ model: NAME, precision, fallback });

/** A catalogue whose landmarks have a layer's scale wrong in int8, and a folder of such files. */
async function damaged(t: TestContext): Promise<Staged> {
  const folder = await mkdtemp(join(tmpdir(), "faceline-damaged-"));
  t.after(() => rm(folder, { recursive: true }));
  const model = whole.find("landmarks", NAME)!;
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
  return { folder, catalogue: new Catalogue(whole.models.map((each) => (each === model ? wrong : each))) };
}

type Staged = { catalogue?: Catalogue; folder?: string; clips?: boolean };
