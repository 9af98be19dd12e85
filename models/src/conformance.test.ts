import assert from "node:assert/strict";
import { before, suite, type TestContext, test } from "node:test";
import { builtModel } from "../testing/built.ts";
import { openBlazeface, openFaceboxes } from "../testing/graph-models.ts";
import { openMobileFaceNet } from "../testing/mobilefacenet.ts";
import { noise, openSamples } from "../testing/images.ts";
import { openReference } from "../testing/reference.ts";
import { sampleFaces } from "../testing/sample-faces.ts";
import type { Batch, ReferenceNetwork } from "../testing/tensorflow.ts";
import { readCatalogue } from "./catalogue.ts";
import { inputSides, type Model } from "./catalogue-entry.ts";
import { modelsFolder } from "./model-file.ts";
import * as ort from "./onnxruntime.ts";
import { isUnpulled } from "./source.ts";

// Every graph must give the outputs of its source on tfjs, to the rounding of float32: on noise, which
// reaches every weight, in batches of 1 and 2, and on photographs, which reach the scores and boxes that
// matter, in a batch of 3. Detectors at every input side of their cascade. tfjs takes seconds for each
// image, so there are no more of them.
const tolerance = 1e-5;

const catalogue = await readCatalogue();
const modelNamed = (name: string): Model => catalogue.models.find((model) => model.name === name)!;
const detectors = ["ssd", "faceboxes", "blazeface"];
const onFaces = ["landmarks-68", "Dlib", "MobileFaceNet"];
let reference: Record<string, ReferenceNetwork>;
const sessions = new Map<string, Promise<ort.InferenceSession>>();

before(async () => {
  reference = await openReference();
  if (!unpulled("faceboxes")) reference["faceboxes"] = await openFaceboxes(modelNamed("faceboxes"));
  reference["blazeface"] = await openBlazeface(modelNamed("blazeface"));
  if (unpulled("MobileFaceNet")) return;
  const repaired = await openMobileFaceNet(modelNamed("MobileFaceNet"));
  reference["MobileFaceNet"] = async (batch) => ({ embedding: repaired(batch, ["embeddings"])[0]! });
});

test("the graphs have the tensors of the catalogue", async () => {
  for (const model of catalogue.models.filter(({ name }) => !unpulled(name))) {
    const { inputMetadata, outputMetadata } = await sessionOf(model);
    const { inputs, outputs } = model.tensors;
    assert.deepEqual(inputMetadata.map(tensorOf), inputs, model.name);
    assert.deepEqual(outputMetadata.map(tensorOf), outputs, model.name);
  }
});

suite("the graphs agree with their sources on noise", () => {
  for (const name of [...detectors, ...onFaces]) {
    test(name, { skip: unpulled(name) }, async (t) => {
      const model = modelNamed(name);
      for (const px of sidesOf(model)) {
        const [first, ...others] = [0, 1, 2].map((seed) => noise(px, seed));
        await compare(t, model, [
          { px, images: [first!] },
          { px, images: others },
        ]);
      }
    });
  }
});

suite("the graphs agree with their sources on photographs", {
  skip: openSamples() === undefined && "sharp is absent",
}, () => {
  for (const name of detectors) {
    test(name, { skip: unpulled(name) }, async (t) => {
      const model = modelNamed(name);
      for (const px of sidesOf(model)) {
        const images = await Promise.all(sampleNumbers.map((sample) => openSamples()!.whole(sample, px)));
        await compare(t, model, [{ px, images }]);
      }
    });
  }
  for (const name of onFaces) {
    test(name, { skip: unpulled(name) }, async (t) => {
      const model = modelNamed(name);
      const px = model.input_px;
      const faces = await sampleFaces(px);
      await compare(t, model, [{ px, images: sampleNumbers.map((sample) => faces[sample - 1]!) }]);
    });
  }
});

/** Runs both on every batch; fails at the first number that is too far off, and says how far any was. */
async function compare(t: TestContext, model: Model, batches: readonly Batch[]): Promise<void> {
  const worst = new Map<string, Difference>();
  for (const batch of batches) {
    const ours = await run(model, batch);
    const theirs = await reference[model.name]!(batch);
    assert.deepEqual(Object.keys(ours).toSorted(), Object.keys(theirs).toSorted());
    for (const [output, expected] of Object.entries(theirs)) {
      const difference = worstDifference(ours[output]!, expected);
      if (difference.relative >= (worst.get(output)?.relative ?? 0)) worst.set(output, difference);
    }
  }
  for (const [output, { difference, relative, expected, at }] of worst) {
    const summary = `${model.name} ${output}: max ${difference.toExponential(1)} at |reference| ${Math.abs(expected).toFixed(2)}`;
    t.diagnostic(summary);
    assert(relative <= tolerance, `${summary}, element ${at} of its batch`);
  }
}

/** The greatest of |a - b| / max(1, |b|). NaN anywhere is the greatest of all. */
function worstDifference(actual: Float32Array, expected: Float32Array): Difference {
  assert.equal(actual.length, expected.length);
  let worst: Difference = { difference: 0, relative: 0, expected: 0, at: 0 };
  for (const [at, value] of expected.entries()) {
    const difference = Math.abs(actual[at]! - value);
    const relative = difference / Math.max(1, Math.abs(value));
    if (!(relative <= worst.relative)) worst = { difference, relative, expected: value, at };
    if (Number.isNaN(relative)) return worst;
  }
  return worst;
}

async function run(model: Model, { px, images }: Batch): Promise<Record<string, Float32Array>> {
  const session = await sessionOf(model, px);
  const pixels = new Uint8Array(Buffer.concat(images));
  const results = await session.run({ image: new ort.Tensor("uint8", pixels, [images.length, px, px, 3]) });
  const { outputs } = model.tensors;
  for (const { name, shape } of px === model.input_px ? outputs : []) {
    assert.deepEqual(results[name]?.dims, [images.length, ...shape.slice(1)], `${model.name} ${name}`);
  }
  return Object.fromEntries(outputs.map(({ name }) => [name, results[name]!.data as Float32Array]));
}

function sessionOf(model: Model, px = model.input_px): Promise<ort.InferenceSession> {
  const open = async () => ort.createSession(await builtModel(model, { precision: "float32", input_px: px }));
  const key = `${model.name} ${px}`;
  const session = sessions.get(key) ?? open();
  sessions.set(key, session);
  return session;
}

/** Every side that the service runs, where the source runs at any. face-api's detectors have one. */
function sidesOf(model: Model): readonly number[] {
  return model.source.kind === "npm_tarball" ? inputSides(model) : [model.input_px];
}

/** Why a test of this model is skipped; false if its weights are here. */
function unpulled(name: string): string | false {
  const absent = isUnpulled(modelsFolder, modelNamed(name).source);
  return absent && `NOT TESTED: the weights are not here; npm run models -- pull ${name} fetches them`;
}

const sampleNumbers = [1, 3, 6];

function tensorOf(value: ort.InferenceSession.ValueMetadata) {
  return value.isTensor ? { name: value.name, type: value.type, shape: value.shape } : value;
}

type Difference = { difference: number; relative: number; expected: number; at: number };
