import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { decodeEmbedding } from "@faceline/contracts/wire/face";
import { laneId } from "@faceline/contracts/wire/ids";
import { buildModel } from "@faceline/models/build";
import { readCatalogue } from "@faceline/models/catalogue";
import { sha256 } from "@faceline/models/model-file";
import { type ElementType, Graph } from "@faceline/models/onnx/graph";
import { temporaryFolder } from "@faceline/models/testing/temporary-folder";
import { oneAtATime } from "../../testing/lane-settings.ts";
import { alignmentTemplates } from "../align/templates.ts";
import { type LaneOptions, openLanes } from "./lanes.ts";

// The seam for other models: three made-up networks that come as finished .onnx files, with other names of
// their tensors, five landmarks and chips of another side. They fit in by their catalogue entries only. The
// box is a constant. The landmarks stay in their place in the image, whose colours say where a crop lies,
// and the embedding is the mean colour of the face chip.

const lane = laneId("mean-colour", "fixed-box");
const template = alignmentTemplates.five_point;

test("models with other tensors, landmarks and sources run by their catalogue entries alone", async (t) => {
  await using lanes = await openSeam(t, {}, { batchMax: 2, detectorChunkMax: 2, faceChunkMax: 2 });
  const { results, usage } = await lanes.run({ lane, images: [image()] });
  const [result] = results;
  assert.ok(result?.kind === "faces");
  const [face, ...more] = result.faces;
  assert.equal(more.length, 0);
  assert.deepEqual([face!.area.x, face!.area.y, face!.area.w, face!.area.h], [50, 50, 100, 100]);
  assert.equal(face!.confidence, Math.fround(0.9));
  // The landmarks make the box the chip.
  const scale = 100 / template.chipPx;
  const [right, left] = template.points;
  near(face!.area.right_eye!, [50 + scale * right!.x, 50 + scale * right!.y]);
  near(face!.area.left_eye!, [50 + scale * left!.x, 50 + scale * left!.y]);
  // Red and green of a pixel are its position, so their means over the chip are its centre. Blue is 50
  // everywhere.
  const [red = 0, green = 0, blue] = decodeEmbedding(face!.embedding);
  near([red, green], [100, 100]);
  assert.equal(blue, 50);
  assert.deepEqual(
    usage.networks.map(({ name, rows }) => [name, rows]),
    [
      ["fixed-box", 1],
      ["fixed-points", 2],
      ["mean-colour", 1],
    ],
  );
});

test("an embedding model may say where its chip lies in that of the landmarks", async (t) => {
  // Half as large as the template's chip, and aside of its centre by a tenth of it.
  const scale = 0.5 * (template.chipPx / 80);
  const chip = { a: scale, c: 0, e: 0.35 * template.chipPx, f: 0.25 * template.chipPx };
  await using lanes = await openSeam(t, { chip });
  const [result] = (await lanes.run({ lane, images: [image()] })).results;
  assert.ok(result?.kind === "faces");
  const [red = 0, green = 0] = decodeEmbedding(result.faces[0]!.embedding);
  near([red, green], [110, 100]);
});

test("landmarks that move with the view were invented: there is no face", async (t) => {
  await using lanes = await openSeam(t, { seesFaces: false });
  const { results, usage } = await lanes.run({ lane, images: [image()] });
  assert.deepEqual(results, [{ kind: "rejected", code: "no_face_detected" }]);
  assert.deepEqual([usage.implausible, usage.quarterTurnsTried], [1, 1]);
});

test("models that were not pulled are one sentence with the command", async (t) => {
  const empty = await temporaryFolder(t);
  const opening = openLanes({ modelsDir: empty, lanes: [laneId("MobileFaceNet", "ssd")], ...oneAtATime });
  await assert.rejects(opening, {
    message: `MODELS and DETECTORS: MobileFaceNet was not pulled; "npm run models -- pull MobileFaceNet --to ${empty}" fetches it`,
  });
});

test("an embedding that is not finite fails the run, so that no distance is computed from it", async (t) => {
  // The engine runs an image of its own before it is ready.
  await assert.rejects(openSeam(t, { embeddingDivisor: 0 }), {
    message: "the model gave an embedding that is not finite",
  });
});

test("unknown names of models and detectors are one sentence that names them all", async (t) => {
  const unknown = [laneId("Dlib", "fixed-box"), laneId("Dlib", "ssd")];
  await assert.rejects(openSeam(t, {}, { lanes: unknown }), {
    message:
      "MODELS and DETECTORS: the catalogue has no embedding model Dlib (there are mean-colour), and no detector model ssd (there are fixed-box)",
  });
});

/** 200 x 200: red is the column, green the row, blue 50. */
function image() {
  const [width, height] = [200, 200];
  const pixels = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) pixels.set([x, y, 50], 3 * (y * width + x));
  }
  const options = { align: true, enforceDetection: true, facesMax: 5, fullResolution: true };
  return { pixels, width, height, originalWidth: width, originalHeight: height, options };
}

/** Asserts equality within a pixel, because areas and colours are whole numbers. */
function near(actual: ArrayLike<number>, expected: readonly number[]): void {
  for (const [i, value] of expected.entries()) {
    assert.ok(
      Math.abs(actual[i]! - value) <= 1,
      `${Array.from(actual).join()} instead of ${expected.join()}`,
    );
  }
}

async function openSeam(t: TestContext, changes: SeamChanges, settings: Partial<LaneOptions> = {}) {
  const folders = await madeUpCatalogue(t, changes);
  return openLanes({ ...folders, lanes: [lane], ...oneAtATime, ...settings });
}

async function madeUpCatalogue(
  t: TestContext,
  { embeddingDivisor = 1, chip, seesFaces = true }: SeamChanges,
): Promise<{ catalogueFolder: string; modelsDir: string }> {
  const root = await temporaryFolder(t);
  const [catalogueFolder, modelsDir] = [join(root, "catalogue"), join(root, "models")];
  const [px, chipPx] = [32, 80];
  // The box is the middle of the image; the landmarks are those of the template in it.
  const inChip = template.points.flatMap(({ x, y }) => [x / template.chipPx, y / template.chipPx]);
  const points = inChip.map((each) => 50 + 100 * each);
  const entries = [
    {
      name: "fixed-box",
      role: "detector",
      ...network(px, { faces: [1, 4], certainty: [1] }, (graph, rows) => {
        constant(graph, rows, "faces", [1, 4], [0.25, 0.25, 0.75, 0.75]);
        constant(graph, rows, "certainty", [1], [0.9]);
      }),
      outputs: { boxes: "faces", scores: "certainty" },
      selection: { score_min: 0.5, iou_max: 0.5 },
    },
    {
      name: "fixed-points",
      role: "landmarks",
      ...network(px, { keypoints: [5, 2] }, (graph, rows) => {
        if (seesFaces) landmarksByColour(graph, px, points);
        else constant(graph, rows, "keypoints", [5, 2], inChip);
      }),
      scheme: "five_point",
      outputs: { points: "keypoints" },
    },
    {
      name: "mean-colour",
      role: "embedding",
      ...network(chipPx, { features: [3] }, (graph) => {
        const axes = { axes: [1, 2], keepdims: 0 };
        graph.node("colour", "ReduceMean", ["pixels/float"], axes);
        const divisor = graph.floats("divisor", [1], Float32Array.of(embeddingDivisor));
        graph.node("features", "Div", ["colour", divisor]);
        graph.output("features", "float32", ["N", 3]);
      }),
      outputs: { embedding: "features" },
      landmarks: "fixed-points",
      ...(chip && { chip }),
      embedding_size: 3,
      thresholds: { cosine: 0.5, euclidean: 1, euclidean_l2: 1 },
      thresholds_from: { cosine: "made up", euclidean: "made up", euclidean_l2: "made up" },
      normalizations: ["base"],
    },
  ];
  for (const { onnx, ...entry } of entries) {
    const folder = join(catalogueFolder, entry.name);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "network.onnx"), onnx);
    const digest = sha256(onnx);
    const file = `${entry.name}.float32.onnx`;
    const model = {
      title: "made up for a test",
      batch_buckets: [1, 2],
      builds: [{ precision: "float32", input_px: entry.input_px, file, bytes: onnx.length, sha256: digest }],
      source: { kind: "onnx_file", file: { path: "network.onnx", sha256: digest }, origin: "this test" },
      licenses: [{ id: "Apache-2.0", covers: "all of it", stated_by: "this test", use: "any" }],
      training_data: "None: it is made up.",
      provenance: ["Made up."],
      ...entry,
    };
    await writeFile(join(folder, "model.json"), JSON.stringify(model));
  }
  const { models } = await readCatalogue(catalogueFolder);
  for (const model of models) for (const build of model.builds) await buildModel(modelsDir, model, build);
  return { catalogueFolder, modelsDir };
}

/** `seesFaces: false`: the landmarks are the same in every view, as those of a network that invents them. */
type SeamChanges = { embeddingDivisor?: number; chip?: object; seesFaces?: boolean };

/** An input of the name `pixels`, and what `write` makes of it. `rows` is a value of zeros, [N, 1]. */
function network(
  px: number,
  outputs: Record<string, number[]>,
  write: (graph: Graph, rows: string) => void,
): { onnx: Uint8Array; input_px: number; tensors: object } {
  const graph = new Graph("made-up");
  const tensor = (name: string, type: ElementType, shape: readonly number[]) => ({
    name,
    type,
    shape: ["N", ...shape],
  });
  graph.input("pixels", "uint8", ["N", px, px, 3]);
  graph.node("pixels/float", "Cast", ["pixels"], { to: 1 });
  graph.node("pixels/mean", "ReduceMean", ["pixels/float"], { axes: [1, 2, 3], keepdims: 0 });
  graph.node("pixels/rows", "Reshape", ["pixels/mean", graph.ints("rows/shape", [-1, 1])]);
  graph.node("rows", "Mul", ["pixels/rows", graph.floats("nothing", [1], Float32Array.of(0))]);
  write(graph, "rows");
  return {
    onnx: graph.encode({}),
    input_px: px,
    tensors: {
      inputs: [tensor("pixels", "uint8", [px, px, 3])],
      outputs: Object.entries(outputs).map(([name, shape]) => tensor(name, "float32", shape)),
    },
  };
}

/**
 * Declares landmarks at `points` of the image, in the unit square of a crop. Red and green are the position
 * of a pixel in the image, so their mean is the centre of the crop, and their range nearly its side.
 */
function landmarksByColour(graph: Graph, px: number, points: readonly number[]): void {
  const axes = { axes: [1, 2], keepdims: 0 };
  for (const [name, op] of [
    ["centre", "ReduceMean"],
    ["most", "ReduceMax"],
    ["least", "ReduceMin"],
  ] as const) {
    graph.node(`${name}/colour`, op, ["pixels/float"], axes);
    graph.node(`${name}/redGreen`, "Gather", [`${name}/colour`, graph.ints(`${name}/channels`, [0, 1])], {
      axis: 1,
    });
    graph.node(name, "Reshape", [`${name}/redGreen`, graph.ints(`${name}/shape`, [-1, 1, 2])]);
  }
  graph.node("range", "Sub", ["most", "least"]);
  // A crop of one colour has no range.
  graph.node("range/some", "Max", ["range", graph.floats("range/min", [1], Float32Array.of(1))]);
  graph.node("side", "Mul", ["range/some", graph.floats("range/share", [1], Float32Array.of(px / (px - 1)))]);
  graph.node("aside", "Sub", [graph.floats("points", [1, 5, 2], Float32Array.from(points)), "centre"]);
  graph.node("share", "Div", ["aside", "side"]);
  graph.node("keypoints", "Add", ["share", graph.floats("half", [1], Float32Array.of(0.5))]);
  graph.output("keypoints", "float32", ["N", 5, 2]);
}

/** Declares an output that is the same numbers in every row. */
function constant(graph: Graph, rows: string, name: string, shape: number[], values: number[]): void {
  const numbers = graph.floats(`${name}/values`, [1, values.length], Float32Array.from(values));
  graph.node(`${name}/flat`, "Add", [rows, numbers]);
  graph.node(name, "Reshape", [`${name}/flat`, graph.ints(`${name}/shape`, [-1, ...shape])]);
  graph.output(name, "float32", ["N", ...shape]);
}
