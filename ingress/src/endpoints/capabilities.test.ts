import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { CapabilitiesResponse } from "@faceline/contracts/http/capabilities";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import { readCatalogue } from "@faceline/models/catalogue";
import { withLocalThresholds, writeLocalThresholds } from "@faceline/models/local-thresholds";
import { testBuild, testPool, testServer } from "../../testing/server.ts";

const settings = { DETECTORS: "auto,blazeface" };

test("GET /capabilities: what is enabled, what of it has live workers, and the limits, without a key", async (t) => {
  const response = await testServer(t, { settings }).app.inject("/capabilities");
  assert.equal(response.statusCode, 200);
  const shown = CapabilitiesResponse.strict().parse(response.json());
  assert.deepEqual([shown.models, shown.default_model], [["SFace"], "SFace"]);
  assert.deepEqual([shown.detectors, shown.default_detector], [["auto", "blazeface"], "auto"]);
  const { status, batch_max, execution_provider, license, thresholds } = shown.model_details["SFace"]!;
  assert.deepEqual([status, batch_max, execution_provider, license], ["ready", 8, "cpu", "MIT"]);
  assert.equal(thresholds.cosine, 0.1);
  assert.equal(shown.model_details["SFace"]!.thresholds_calibration, null);
  assert.deepEqual(shown.model_details["SFace"]!.false_match_rate_from, { source: "card", pairs: 9 });
  const max = { cosine: 0.346588, euclidean: 0.6, euclidean_l2: 0.832572 };
  assert.deepEqual(shown.model_details["SFace"]!.thresholds_max, max);
  assert.equal(shown.detector_details["auto"]?.status, "ready");
  assert.equal(shown.detector_details["blazeface"]?.status, "unavailable");
  assert.equal(shown.limits.faces, 100);
  assert.equal(shown.limits.vector_length, 2);
  assert.equal(shown.features.thresholds_unaligned, "unmeasured");
});

test("GET /capabilities: a model without a worker is unavailable", async (t) => {
  const response = await testServer(t, { poolStates: () => [] }).app.inject("/capabilities");
  const { status, batch_max, execution_provider } = response.json().model_details.SFace;
  assert.deepEqual([status, batch_max, execution_provider], ["unavailable", null, null]);
});

test("GET /capabilities: which build of a model runs, and whether it is a fallback", async (t) => {
  const catalogue = await readCatalogue();
  const precisions = [
    { model: "ssd", precision: "int8", fallback: false, sha256: "5".repeat(64) },
    { model: "blazeface", precision: "float32", fallback: false, sha256: "b".repeat(64) },
    { model: "SFace", precision: "float32", fallback: true, sha256: "d".repeat(64) },
  ] as const;
  const pool = { ...testPool, lanes: testPool.lanes.map((lane) => ({ ...lane, precisions })) };
  const poolStates = () => [pool as unknown as PoolState];
  const shown = (await testServer(t, { settings, catalogue, poolStates }).app.inject("/capabilities")).json();
  const builds = [
    shown.model_details.SFace,
    shown.detector_details.auto,
    shown.detector_details.blazeface,
  ].map(({ precision, precision_fallback, sha256 }) => ({ precision, precision_fallback, sha256 }));
  const sha256Of = (name: string, precision: string) => {
    const model = catalogue.models.find((each) => each.name === name)!;
    const own = model.builds.filter(({ input_px }) => input_px === model.input_px);
    return own.find((build) => build.precision === precision)!.sha256;
  };
  assert.deepEqual(
    shown.detector_details.auto.builds.map(({ name }: { name: string }) => name),
    ["ssd", "blazeface"],
  );
  assert.deepEqual(builds, [
    // As the worker has reported it, whatever this process' catalogue says.
    { precision: "float32", precision_fallback: true, sha256: "d".repeat(64) },
    { precision: "int8", precision_fallback: false, sha256: "5".repeat(64) },
    { precision: null, precision_fallback: false, sha256: sha256Of("blazeface", "float32") },
  ]);
});

test("GET /capabilities: every network that live workers run, and what a detector may miss", async (t) => {
  const lanesOf = (precision: string, sha256: string) => {
    const precisions = [
      { model: "landmarks-68", precision: "float32", fallback: false, sha256: "c" },
      { model: "SFace", precision, fallback: false, sha256 },
    ];
    return testPool.lanes.map((lane) => ({ ...lane, precisions }));
  };
  const lanes = [...lanesOf("int8", "a"), ...lanesOf("float32", "b"), ...lanesOf("int8", "a")];
  const poolStates = () => [{ ...testPool, lanes } as unknown as PoolState];
  const { app } = testServer(t, { settings, poolStates, catalogue: await readCatalogue() });
  const shown = CapabilitiesResponse.strict().parse((await app.inject("/capabilities")).json());
  const { model_version, builds } = shown.model_details["SFace"]!;
  assert.equal(model_version, testBuild.modelVersion);
  const shared = { precision_fallback: false, execution_provider: "cpu" };
  assert.deepEqual(builds, [
    { name: "SFace", sha256: "a", precision: "int8", ...shared },
    { name: "SFace", sha256: "b", precision: "float32", ...shared },
    { name: "landmarks-68", sha256: "c", precision: "float32", ...shared },
  ]);
  const { auto, blazeface } = shown.detector_details;
  assert.deepEqual([auto!.missed_width_share, blazeface!.missed_width_share], [0.08, null]);
  assert.deepEqual([auto!.found_width_share, blazeface!.found_width_share], [0.025, 0.025]);
  assert.equal(auto!.license, "MIT AND Apache-2.0");
});

test("GET /capabilities: the card of a model or detector that was measured, null for another one", async (t) => {
  const shown = async (options: Parameters<typeof testServer>[1]) =>
    CapabilitiesResponse.parse((await testServer(t, options).app.inject("/capabilities")).json());
  const measured = await shown({ settings, catalogue: await readCatalogue() });
  assert.equal(measured.model_details["SFace"]!.card!.lane, "SFace/auto");
  const { lane, conditions } = measured.detector_details["blazeface"]!.card!;
  assert.equal(lane, "SFace/blazeface");
  assert.ok(conditions.every(({ rates }) => rates === null));
  assert.ok(conditions.some(({ not_enrolled }) => not_enrolled > 0));
  assert.equal((await shown({})).model_details["SFace"]!.card, null);
});

test("GET /capabilities: where an operator's own thresholds come from; /verify uses them and their rates", async (t) => {
  const modelsDir = await mkdtemp(join(tmpdir(), "models-"));
  t.after(() => rm(modelsDir, { recursive: true }));
  const published = await readCatalogue();
  const calibration = {
    calibrated_at: "2026-11-22T23:00:00.000Z",
    fmr_wanted: 0.01,
    pairs_same: 400,
    pairs_different: 80_000,
    people: 400,
    detector: "ssd",
  };
  const thresholds = { cosine: 0.02, euclidean: 0.3, euclidean_l2: 0.2 };
  const dlib = published.find("embedding", "SFace")!;
  const curve = { pairs: 80_000, distances: [0.01, 0.05], ranks: [4, 80_000] };
  const false_match_curves = { cosine: curve, euclidean: curve };
  const measured = { thresholds, calibration, false_match_curves };
  await writeLocalThresholds(published, dlib, { ...measured, modelsDir });
  const catalogue = await withLocalThresholds(published, modelsDir);

  const { app, post } = testServer(t, { catalogue });
  const response = await app.inject("/capabilities");
  const shown = CapabilitiesResponse.strict().parse(response.json()).model_details["SFace"]!;
  assert.deepEqual(shown.thresholds, thresholds);
  assert.deepEqual(shown.thresholds_calibration, calibration);
  assert.match(shown.thresholds_from.cosine, /^The operator's calibration of 2026-11-22 .* at most 1%/);
  assert.deepEqual(shown.false_match_rate_from, { source: "operator", pairs: 80_000 });

  const zeros = Array(126).fill(0);
  const vectors = { img1: [1, 0, ...zeros], img2: [0.95, Math.sqrt(1 - 0.95 ** 2), ...zeros] };
  const verdictBy = async (server: typeof post) => {
    const { verified, distance, threshold, false_match_rate } = (await server("/verify", vectors)).json();
    return [verified, distance, threshold, false_match_rate];
  };
  assert.deepEqual(await verdictBy(post), [false, 0.05, 0.02, 1]);
  const byCard = [true, 0.05, 0.593, Number((1 / 77_222).toPrecision(3))];
  assert.deepEqual(await verdictBy(testServer(t, { catalogue: published }).post), byCard);
});

test("enabled names that are not in the catalogue end the start, all in one error", (t) => {
  const settings = { MODELS: "SFace,Facenet,ArcFace", DETECTORS: "ssd,mtcnn" };
  assert.throws(() => testServer(t, { settings }), {
    name: "SettingsError",
    message: [
      "settings:",
      "  MODELS: the catalogue has no Facenet",
      "  MODELS: the catalogue has no ArcFace",
      "  DETECTORS: the catalogue has no mtcnn",
    ].join("\n"),
  });
});
