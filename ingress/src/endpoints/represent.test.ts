import assert from "node:assert/strict";
import { test } from "node:test";
import { RepresentResponse } from "@faceline/contracts/http/represent";
import { decodeEmbedding } from "@faceline/contracts/wire/face";
import { Catalogue } from "@faceline/models/catalogue";
import {
  answeredBy,
  base64Image,
  encodedEmbedding,
  facesAnswer,
  testBuild,
  testFacialArea,
  testModels,
  testServer,
} from "../../testing/server.ts";

const image = await base64Image();

const ofEveryFace = {
  face_confidence: 0.9,
  quality: null,
  quality_issues: null,
  model_name: "SFace",
  model_version: testBuild.modelVersion,
  precision: "float32",
};

test("/represent 200: results, model, detector_backend, time, request_id", async (t) => {
  const settings = { DETECTORS: "auto,blazeface" };
  const dispatch = async () => [facesAnswer([3, 4], [0, 1])];
  const { post, dispatched } = testServer(t, { settings, dispatch });
  const response = await post(
    "/represent",
    { img: image, detector_backend: "blazeface" },
    { "x-request-id": "mine" },
  );
  assert.equal(response.statusCode, 200);
  assert.deepEqual(RepresentResponse.strict().parse(response.json()), {
    results: [
      { embedding: [3, 4], facial_area: testFacialArea(0), ...ofEveryFace },
      { embedding: [0, 1], facial_area: testFacialArea(1), ...ofEveryFace },
    ],
    model: "SFace",
    detector_backend: "blazeface",
    time: 0,
    request_id: "mine",
  });
  assert.equal(dispatched[0]?.lane, "SFace/blazeface");
});

test("/represent: `?format=array` gives the bare array", async (t) => {
  const { post } = testServer(t);
  const response = await post("/represent?format=array", { img_path: image });
  assert.deepEqual(
    response.json().map(({ embedding }: { embedding: number[] }) => embedding),
    [[1, 0]],
  );
  assert.equal((await post("/represent?format=xml", { img: image })).json().field, "format");
});

test("/represent: l2_normalize and embedding_format", async (t) => {
  const { post } = testServer(t, { dispatch: async () => [facesAnswer([3, 4])] });
  const shown = async (options: object) =>
    (await post("/represent?format=array", { img: image, ...options })).json()[0].embedding;
  assert.deepEqual(await shown({ l2_normalize: true }), [0.6, 0.8]);
  assert.equal(await shown({ embedding_format: "base64" }), encodedEmbedding([3, 4]));
  const both = decodeEmbedding(await shown({ l2_normalize: "true", embedding_format: "base64" }));
  assert.deepEqual(both, Float32Array.of(0.6, 0.8));
});

test("/represent: max_faces, largest first, never more than the service gives", async (t) => {
  const { post, dispatched } = testServer(t);
  for (const max_faces of [2, 500, null]) await post("/represent", { img: image, max_faces });
  assert.deepEqual(
    dispatched.map(({ options }) => options.facesMax),
    [2, 100, 100],
  );
  assert.equal((await post("/represent", { img: image, max_faces: 0 })).json().field, "max_faces");
});

test("/represent takes images alone", async (t) => {
  const { post } = testServer(t);
  assert.equal((await post("/represent", { img: [1, 0] })).json().error, "invalid_request");
  assert.equal((await post("/represent", {})).json().error, "missing_image");
});

test("/represent: several models embed the same faces, each with its version, all or nothing", async (t) => {
  const models = [...testModels, { ...testModels[0]!, name: "Other" }] as typeof testModels;
  const version = "ba9876543210";
  const { post, dispatched } = testServer(t, {
    catalogue: new Catalogue(models),
    settings: { MODELS: "SFace,Other" },
    dispatch: async ({ lane, images, memory }) => {
      memory.free();
      const answer = facesAnswer([1, 0], [0, 1]);
      return images.map(() =>
        lane === "SFace/auto" ? answer : answeredBy(answer, { modelVersion: version }),
      );
    },
  });
  const response = await post("/represent", { img: image, model_name: ["Other", "SFace", "Other"] });
  const { model, results } = RepresentResponse.parse(response.json());
  assert.equal(model, "Other");
  assert.deepEqual(
    results.map(({ model_name, model_version }) => [model_name, model_version]),
    [
      ["Other", version],
      ["Other", version],
      ["SFace", testBuild.modelVersion],
      ["SFace", testBuild.modelVersion],
    ],
  );
  // Both read the image, although the first of them lets go of its memory.
  assert.deepEqual(
    dispatched.map(({ images }) => images[0]),
    Array(2).fill(Buffer.from(image, "base64")),
  );
  for (const model_name of [[], ["SFace", "SECRET"], Array(5).fill("SFace"), 7]) {
    const { status, field } = (await post("/represent", { img: image, model_name })).json();
    assert.deepEqual([status, field], [400, "model_name"]);
  }
});
