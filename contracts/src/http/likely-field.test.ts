import assert from "node:assert/strict";
import { test } from "node:test";
import { CompareRequest } from "./compare.ts";
import { likelyFieldOf } from "./likely-field.ts";
import { RepresentRequest } from "./represent.ts";
import { VerifyRequest } from "./verify.ts";

const schemas = { verify: VerifyRequest, represent: RepresentRequest, compare: CompareRequest };
const fieldsOf = (call: keyof typeof schemas): string[] => Object.keys(schemas[call].out.shape);
const likelyField = likelyFieldOf(fieldsOf("verify"));

test("a field that is mistyped, written otherwise or named as elsewhere is recognised", () => {
  const names = {
    model: "model_name",
    Model: "model_name",
    modelName: "model_name",
    "model-name": "model_name",
    model_nmae: "model_name",
    detector: "detector_backend",
    detectorBackend: "detector_backend",
    detector_backends: "detector_backend",
    metric: "distance_metric",
    distance_metrics: "distance_metric",
    threshhold: "threshold",
    treshold: "threshold",
    thershold: "threshold",
    enforceDetection: "enforce_detection",
    enforce_detecton: "enforce_detection",
    aling: "align",
    face_polcy: "face_policy",
    facePolicy: "face_policy",
    image1: "img1",
    image_2: "img2",
    Img1: "img1",
  };
  for (const [name, field] of Object.entries(names)) assert.equal(likelyField(name), field, name);
});

test("fields of other calls, and those that clients of DeepFace send, are like none", () => {
  const others = [
    "silent",
    "actions",
    "db_path",
    "refresh_database",
    "batched",
    "k",
    "color_face",
    "grayscale",
    "target_size",
    "return_face",
    "similarity_search",
    "search_method",
    "connection_details",
    "database_type",
    "user_id",
    "request_id",
    "name",
    "faces",
    "image",
  ];
  const calls = Object.keys(schemas) as (keyof typeof schemas)[];
  const sent = new Set([...others, ...calls.flatMap(fieldsOf)]);
  for (const call of calls) {
    const fields = fieldsOf(call);
    const likelyFieldOfCall = likelyFieldOf(fields);
    const likely = [...sent].filter((name) => !fields.includes(name) && likelyFieldOfCall(name));
    assert.deepEqual(likely, [], call);
  }
});

test("what is no short plain word is like none: it would be repeated in an error", () => {
  for (const name of ["", "model name", "model\n", "mödel", "<model>", "1align", `model${"e".repeat(40)}`]) {
    assert.equal(likelyField(name), undefined, JSON.stringify(name));
  }
  // Missing images are an error of their own.
  for (const name of ["imgs", "img3", "picture", "vectr"]) assert.equal(likelyField(name), undefined);
});
