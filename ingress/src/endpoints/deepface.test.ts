import assert from "node:assert/strict";
import { test } from "node:test";
import {
  base64Image,
  facesAnswer,
  type TestServer,
  testBuild,
  testFacialArea,
  testKey,
  testServer,
} from "../../testing/server.ts";

// What clients of DeepFace's own server send, and what they read from its responses.

const image = await base64Image();
const dataUrl = `data:image/jpeg;base64,${image}`;
const file = new Blob([Buffer.from(image, "base64")], { type: "image/jpeg" });
const choices = { model_name: "SFace", detector_backend: "auto" };

const verifyCalls: [string, object | FormData][] = [
  ["JSON, img1_path and img2_path", { img1_path: dataUrl, img2_path: dataUrl, ...choices, ...options() }],
  ["JSON, img1 and img2", { img1: dataUrl, img2: dataUrl, ...choices, ...options() }],
  ["multipart, files", form({ img1: file, img2: file, ...choices, ...texts(options()) })],
  ["multipart, data URLs", form({ img1_path: dataUrl, img2_path: dataUrl, ...texts(options()) })],
];

for (const [name, body] of verifyCalls) {
  test(`DeepFace's /verify: ${name}`, async (t) => {
    const { app, dispatched } = testServer(t, {
      dispatch: async () => [facesAnswer([1, 0]), facesAnswer([0.6, 0.8])],
    });
    const response = await call(app, "/verify", body);
    assert.equal(response.statusCode, 200, response.body);
    const { verified, distance, threshold, model, detector_backend, similarity_metric } = response.json();
    assert.deepEqual([verified, distance, threshold], [false, 0.4, 0.1]);
    assert.deepEqual([model, detector_backend, similarity_metric], ["SFace", "auto", "cosine"]);
    assert.deepEqual(response.json().facial_areas, { img1: testFacialArea(0), img2: testFacialArea(0) });
    assert.equal(typeof response.json().time, "number");
    assert.deepEqual(dispatched[0]?.options, {
      align: true,
      enforceDetection: false,
      facesMax: 100,
      fullResolution: false,
    });
  });
}

const representCalls: [string, object | FormData][] = [
  ["JSON, img_path", { img_path: dataUrl, ...choices, max_faces: 1 }],
  ["JSON, img", { img: dataUrl, ...choices, max_faces: 1 }],
  ["multipart, a file", form({ img: file, ...choices, max_faces: "1" })],
];

for (const [name, body] of representCalls) {
  test(`DeepFace's /represent: ${name}; and the bare array`, async (t) => {
    const { app, dispatched } = testServer(t);
    const result = {
      embedding: [1, 0],
      facial_area: testFacialArea(0),
      face_confidence: 0.9,
      quality: null,
      quality_issues: null,
      model_name: "SFace",
      model_version: testBuild.modelVersion,
      precision: testBuild.precision,
    };
    assert.deepEqual((await call(app, "/represent", body)).json().results, [result]);
    assert.deepEqual((await call(app, "/represent?format=array", body)).json(), [result]);
    assert.deepEqual(
      dispatched.map((call) => call.options.facesMax),
      [1, 1],
    );
  });
}

test("DeepFace's defaults, VGG-Face and opencv, are 400 where they are not enabled, with those that are", async (t) => {
  const { app } = testServer(t);
  const body = { img1: dataUrl, img2: dataUrl };
  const model = (await call(app, "/verify", { ...body, model_name: "VGG-Face" })).json();
  assert.deepEqual([model.error, model.detail], ["model_not_allowed", "model_name must be one of: SFace."]);
  const detector = (await call(app, "/verify", { ...body, detector_backend: "opencv" })).json();
  assert.deepEqual(
    [detector.error, detector.detail],
    ["detector_not_allowed", "detector_backend must be one of: auto."],
  );
});

test("features of DeepFace's server that this one lacks are refused, never ignored", async (t) => {
  const { app } = testServer(t);
  const body = { img1: dataUrl, img2: dataUrl };
  for (const feature of [{ anti_spoofing: true }, { expand_percentage: 10 }, { normalization: "VGGFace" }]) {
    const [field] = Object.keys(feature);
    for (const sent of [{ ...body, ...feature }, form({ ...body, ...texts(feature) })]) {
      const response = (await call(app, "/verify", sent)).json();
      assert.deepEqual([response.error, response.field], ["invalid_request", field]);
    }
  }
  const harmless = { anti_spoofing: false, expand_percentage: 0, normalization: "base", silent: true };
  assert.equal((await call(app, "/verify", { ...body, ...harmless })).statusCode, 200);
  assert.equal((await call(app, "/verify", form({ ...body, ...texts(harmless) }))).statusCode, 200);
});

function options() {
  return { distance_metric: "cosine", align: true, enforce_detection: false, anti_spoofing: false };
}

/** Writes fields as `requests.post(data=…)` of Python does: True and False. */
function texts(fields: object): Record<string, string> {
  const written = Object.entries(fields).map(([name, value]) => [
    name,
    String(value).replace(/^[tf]/, (letter) => letter.toUpperCase()),
  ]);
  return Object.fromEntries(written) as Record<string, string>;
}

function form(fields: Record<string, string | Blob>): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.set(name, value);
  return made;
}

async function call(app: TestServer["app"], url: string, body: object | FormData) {
  if (!(body instanceof FormData)) {
    return app.inject({ method: "POST", url, payload: body, headers: { "x-api-key": testKey } });
  }
  const sent = new Response(body);
  const headers = { "content-type": sent.headers.get("content-type")!, "x-api-key": testKey };
  return app.inject({ method: "POST", url, payload: Buffer.from(await sent.arrayBuffer()), headers });
}
