import assert from "node:assert/strict";
import { test } from "node:test";
import { laneId } from "@faceline/contracts/wire/ids";
import { readCatalogue } from "@faceline/models/catalogue";
import { laneBuildOf, modelledBuildOf } from "./lane-build.ts";
import { type LaneModels, laneModels, networkModels } from "./lane-models.ts";

const catalogue = await readCatalogue();
const [ssd, auto] = laneModels(catalogue, [laneId("Dlib", "ssd"), laneId("Dlib", "auto")]) as [
  LaneModels,
  LaneModels,
];
const { detector: choice, landmarks, recogniser } = ssd;
const detector = choice.first;
const withFirst = (first: typeof detector): LaneModels => ({ ...ssd, detector: { name: "ssd", first } });

function buildOf(models: LaneModels, { precision = "int8", ...options }: Options = {}) {
  const networks = networkModels(models).map(({ name }) => ({
    precision: { model: name, precision, fallback: false, sha256: "" },
    sha256s: [name],
  }));
  return laneBuildOf(models, networks, { executionProvider: "cpu", ...options });
}

test("a digest follows everything that changes numbers, also in a modelled build", () => {
  const selection = { ...detector.selection, score_min: 0.4 };
  const cascade = { ...detector.cascade!, clear: { below: 0.1, from: 0.9 } };
  const otherLanes: LaneModels[] = [
    ssd,
    withFirst({ ...detector, selection }),
    withFirst({ ...detector, cascade }),
    withFirst({ ...detector, landmark_box_scale: 1.1 }),
    auto,
    { ...ssd, landmarks: { ...landmarks, scheme: "five_point" } },
    { ...ssd, recogniser: { ...recogniser, chip: { a: 1, c: 0, e: 0, f: 0 } } },
  ];
  const builds = [
    ...otherLanes.map((models) => buildOf(models)),
    ...otherLanes.map((models) => modelledBuildOf(models, "model:40+2b")),
    buildOf(ssd, { precision: "float32" }),
    buildOf(ssd, { executionProvider: "cuda" }),
  ];
  assert.equal(new Set(builds.map(({ digest }) => digest)).size, builds.length);
  assert.equal(buildOf(ssd, { precision: "float32" }).modelVersion, buildOf(ssd).modelVersion);
});

test("words, bounds for verdicts and the place of a file do not change a digest", () => {
  const words = { title: "Another", licenses: [], training_data: "Unknown", provenance: ["Elsewhere."] };
  const thresholds = { cosine: 0.01, euclidean: 0.1, euclidean_l2: 0.1414 };
  const other: LaneModels = {
    ...withFirst({ ...detector, ...words, found_width_share: 0.5 }),
    recogniser: { ...recogniser, ...words, thresholds },
  };
  assert.deepEqual(buildOf(other), buildOf(ssd));
  const from = (path: string): LaneModels => {
    const source = { kind: "onnx_file" as const, file: { path, sha256: "" }, origin: path };
    return { ...ssd, recogniser: { ...recogniser, source } };
  };
  assert.deepEqual(buildOf(from("/a/network.onnx")), buildOf(from("/b/network.onnx")));
});

type Options = { precision?: "int8" | "float32"; executionProvider?: string };
