import assert from "node:assert/strict";
import { test } from "node:test";
import { VerifyResponse } from "@faceline/contracts/http/verify";
import type { Answer } from "@faceline/contracts/wire/answer";
import {
  answeredBy,
  answerWith,
  base64Image,
  encodedEmbedding,
  facesAnswer,
  rejectedAnswer,
  testFacialArea,
  testKey,
  testNow,
  testServer,
} from "../../testing/server.ts";

const image = await base64Image();

test("/verify 200: verified, distance, its false match rate, threshold, model, detector, metric, facial_areas, time", async (t) => {
  const { post, dispatched } = testServer(t, {
    dispatch: async () => [facesAnswer([1, 0]), facesAnswer([0.6, 0.8])],
  });
  const response = await post("/verify", { img1: image, img2: image }, { "x-request-id": "mine" });
  assert.equal(response.statusCode, 200);
  assert.deepEqual(VerifyResponse.strict().parse(response.json()), {
    verified: false,
    distance: 0.4,
    false_match_rate: 0.9,
    threshold: 0.1,
    threshold_false_match_rate: 0.1,
    warnings: [],
    model_name: "SFace",
    model: "SFace",
    detector_backend: "auto",
    distance_metric: "cosine",
    similarity_metric: "cosine",
    facial_areas: { img1: testFacialArea(0), img2: testFacialArea(0) },
    faces_compared: { img1: 1, img2: 1 },
    quality: { img1: null, img2: null },
    quality_issues: { img1: null, img2: null },
    references: [],
    time: 0,
    request_id: "mine",
  });
  const [{ requestId, tenant, lane, options, images, arrivedAt, deadlineAt }] = dispatched as [
    (typeof dispatched)[0],
  ];
  assert.deepEqual([requestId, tenant, lane], ["mine", "ants", "SFace/auto"]);
  assert.deepEqual(options, { align: true, enforceDetection: true, facesMax: 100, fullResolution: false });
  assert.deepEqual([arrivedAt, deadlineAt], [testNow, testNow + 30_000]);
  assert.deepEqual(images, [Buffer.from(image, "base64"), Buffer.from(image, "base64")]);
});

test("/verify: a distance up to and including the threshold is verified", async (t) => {
  const { post, dispatched } = testServer(t);
  const vectors = { img1: [1.5, 0], img2: [1.75, 0], distance_metric: "euclidean" };
  const results = [0.249999, 0.25, 0.250001].map(async (threshold) => {
    const { verified, distance } = (await post("/verify", { ...vectors, threshold })).json();
    return [verified, distance];
  });
  assert.deepEqual(await Promise.all(results), [
    [false, 0.25],
    [true, 0.25],
    [true, 0.25],
  ]);
  // Rounded first: a distance that exceeds the threshold by less than the rounding equals it.
  const close = await post("/verify", { ...vectors, img2: [1.7500004, 0], threshold: 0.25 });
  assert.equal(close.json().verified, true);
  assert.equal(dispatched.length, 0, "vectors alone never leave the ingress");
});

test("/verify: the default threshold is that of the model for the metric", async (t) => {
  const { post } = testServer(t);
  for (const [distance_metric, threshold] of [
    ["cosine", 0.1],
    ["euclidean", 0.6],
    ["euclidean_l2", 0.4472],
  ]) {
    const response = await post("/verify", { img1: [1.5, 0], img2: [1.5, 0], distance_metric });
    assert.equal(response.json().threshold, threshold);
  }
});

test("/verify: a vector may take the place of an image, and has no facial area", async (t) => {
  const { post, dispatched } = testServer(t);
  const response = await post("/verify", { img1: [1, 0], img2: image });
  const { facial_areas, faces_compared, distance } = response.json();
  assert.deepEqual(facial_areas, { img1: null, img2: testFacialArea(0) });
  assert.deepEqual(faces_compared, { img1: null, img2: 1 });
  assert.equal(distance, 0);
  assert.equal(dispatched[0]?.images.length, 1);
});

test("/verify: several faces and face_policy", async (t) => {
  const dispatch = async () => [facesAnswer([1, 0], [0, 1]), facesAnswer([0, 1])];
  const { post, dispatched } = testServer(t, { dispatch });
  const body = { img1: image, img2: image };
  const nearest = (await post("/verify", body)).json();
  assert.equal(nearest.distance, 0);
  assert.deepEqual(nearest.faces_compared, { img1: 2, img2: 1 });
  assert.equal((await post("/verify", { ...body, face_policy: "largest" })).json().distance, 1);
  const refused = (await post("/verify", { ...body, face_policy: "single_only" })).json();
  assert.deepEqual([refused.error, refused.field, refused.index], ["multiple_faces", "img1", 0]);
  assert.deepEqual(
    dispatched.map(({ options }) => [options.facesMax, options.fullResolution]),
    [
      [100, false],
      [1, false],
      [2, true],
    ],
  );
});

test("`normalization`: one that the model does not have is 400 with the allowed ones", async (t) => {
  const { post } = testServer(t);
  assert.equal((await post("/verify", { img1: image, img2: image, normalization: "base" })).statusCode, 200);
  for (const normalization of ["raw", "Facenet", "Facenet2018", "VGGFace", "VGGFace2", "ArcFace", "SECRET"]) {
    const { error, detail } = (await post("/verify", { img1: image, img2: image, normalization })).json();
    assert.deepEqual([error, detail], ["invalid_request", "normalization must be one of: base."]);
  }
});

test("a field that is likely a known one is refused, in JSON and in forms: the default would be used instead", async (t) => {
  const { app, post, dispatched } = testServer(t);
  const body = { img1: image, img2: image };
  for (const [name, field] of [
    ["Model", "model_name"],
    ["detector", "detector_backend"],
    ["distanceMetric", "distance_metric"],
    ["threshhold", "threshold"],
  ] as const) {
    const sent = { ...body, model_name: null, [name]: "x" };
    const { status, error, detail, field: named } = (await post("/verify", sent)).json();
    assert.deepEqual(
      [status, error, detail, named],
      [400, "invalid_request", `${name} is not a field of this request: write ${field}.`, name],
    );
    const form = await app.inject({
      method: "POST",
      url: "/verify",
      payload: new URLSearchParams({ ...body, [name]: "x" }).toString(),
      headers: { "x-api-key": testKey, "content-type": "application/x-www-form-urlencoded" },
    });
    assert.equal(form.json().field, name);
  }
  assert.equal(dispatched.length, 0);
  // Nothing is missing where the field itself was sent.
  assert.equal((await post("/verify", { ...body, model: "x", model_name: "SFace" })).statusCode, 200);
  for (const alias of ["metric", "similarity_metric"])
    assert.equal((await post("/verify", { ...body, [alias]: "x" })).json().error, "invalid_distance_metric");
  assert.equal((await post("/verify", { ...body, model: null })).statusCode, 200);
});

test("`enforce_detection: false`: where no face was found, the response says so, and nothing is verified", async (t) => {
  const area = { x: 0, y: 0, w: 32, h: 32, left_eye: null, right_eye: null, detector: null };
  const whole = answerWith({
    kind: "faces",
    faces: [{ area, confidence: 0, embedding: encodedEmbedding([1, 0]) }],
  });
  const answers = { both: [whole, whole], first: [whole, facesAnswer([1, 0])] };
  let next: Answer[] = [];
  const { post, dispatched } = testServer(t, { dispatch: async () => next });
  const body = { img1: image, img2: image, enforce_detection: false };
  const found = { ...area, face_found: false };

  next = answers.both;
  const both = VerifyResponse.parse((await post("/verify", body)).json());
  assert.deepEqual([both.verified, both.distance, both.false_match_rate], [false, 0, null]);
  assert.deepEqual(both.facial_areas, { img1: found, img2: found });
  assert.deepEqual(both.faces_compared, { img1: 0, img2: 0 });
  assert.equal(dispatched[0]?.options.enforceDetection, false);

  next = answers.first;
  const first = VerifyResponse.parse((await post("/verify", body)).json());
  assert.deepEqual([first.verified, first.false_match_rate], [false, null]);
  assert.deepEqual(first.facial_areas, { img1: found, img2: testFacialArea(0) });
  assert.deepEqual(first.faces_compared, { img1: 0, img2: 1 });

  next = [whole];
  const vector = VerifyResponse.parse((await post("/verify", { ...body, img2: [1, 0] })).json());
  assert.deepEqual([vector.verified, vector.faces_compared], [false, { img1: 0, img2: null }]);
  assert.equal(vector.false_match_rate, null);
});

test("/verify and /compare: no false match rate with `align: false`, which was not measured", async (t) => {
  const { post } = testServer(t);
  const vectors = { img1: [1.5, 0], img2: [1.5, 0] };
  const rateOf = async (align: boolean) =>
    (await post("/verify", { ...vectors, align })).json().false_match_rate;
  assert.deepEqual([await rateOf(true), await rateOf(false)], [0.1, null]);
  const compared = await post("/compare", { vector: [1.5, 0], candidates: [[1.5, 0]], align: false });
  assert.equal(compared.json().results[0].false_match_rate, null);
});

test("Error codes: each names the field at fault", async (t) => {
  const { post, dispatched } = testServer(t);
  const text = Buffer.from("a text file").toString("base64");
  const wrong: [object, string, string][] = [
    [{ img1: undefined }, "missing_image", "img1"],
    [{ img2: "" }, "missing_image", "img2"],
    [{ img2: "https://example.org/a.jpg" }, "unsupported_image_source", "img2"],
    [{ img1: "*" }, "invalid_image", "img1"],
    [{ img1: image.slice(0, 40) }, "invalid_image", "img1"],
    [{ img2: text }, "unsupported_image_format", "img2"],
    [{ img1: await base64Image(15) }, "image_too_small", "img1"],
    [{ img1: 5 }, "invalid_request", "img1"],
    [{ img1: [1, "2"] }, "invalid_vector", "img1"],
    [{ img1: [] }, "invalid_vector", "img1"],
    [{ img2: [0, 0] }, "invalid_vector", "img2"],
    [{ img2: [1, 2, 3] }, "dimension_mismatch", "img2"],
    [{ model_name: "VGG-Face" }, "model_not_allowed", "model_name"],
    [{ detector_backend: "opencv" }, "detector_not_allowed", "detector_backend"],
    [{ distance_metric: "manhattan" }, "invalid_distance_metric", "distance_metric"],
    [{ normalization: "ArcFace" }, "invalid_request", "normalization"],
    [{ normalization: "none" }, "invalid_request", "normalization"],
    [{ anti_spoofing: true }, "invalid_request", "anti_spoofing"],
    [{ align: "perhaps" }, "invalid_request", "align"],
    [{ threshold: "0.4" }, "invalid_request", "threshold"],
    [{ threshold: -1 }, "invalid_request", "threshold"],
    [{ face_policy: "any" }, "invalid_request", "face_policy"],
  ];
  for (const [fault, code, field] of wrong) {
    const response = await post("/verify", { img1: image, img2: image, ...fault });
    const { error, field: actualField, status } = response.json();
    assert.deepEqual([error, actualField, status], [code, field, 400], JSON.stringify(fault).slice(0, 80));
  }
  assert.equal(dispatched.length, 0);
});

test("a number too large for float64 (1e400) is invalid_vector", async (t) => {
  const { post } = testServer(t);
  const headers = { "content-type": "application/json" };
  const response = await post("/verify", '{"img1": [1e400, 0], "img2": [1, 0]}', headers);
  assert.equal(response.json().error, "invalid_vector");
});

test("Limits: pixels and bytes of an image, both 413, before anything is queued", async (t) => {
  const { post, dispatched } = testServer(t, { settings: { IMAGE_PIXELS_MAX: 204 } });
  const response = await post("/verify", { img1: [1, 0], img2: image });
  assert.deepEqual(
    [response.statusCode, response.json().error, response.json().index],
    [413, "image_too_large", 1],
  );
  assert.match(response.json().detail, /has 32 x 32 pixels, and the limit is 1,020: scale it to 2,560/);
  const bytes = await testServer(t, { settings: { IMAGE_BYTES_MAX: 100 } }).post("/verify", {
    img1: image,
    img2: image,
  });
  assert.deepEqual([bytes.statusCode, bytes.json().error, bytes.json().index], [413, "image_too_large", 0]);
  assert.match(bytes.json().detail, /has \d{3} bytes, and the limit is 100: scale it/);
  assert.equal(dispatched.length, 0);
});

test("Error codes: one for each way in which a task ends", async (t) => {
  const shed = (reason: "queue_too_long" | "deadline_infeasible" | "early_drop") =>
    answerWith({ kind: "shed", reason, predictedMs: 9, retryAfterMs: 2_001 });
  const outcomes = [
    [rejectedAnswer("no_face_detected"), 400, "no_face_detected"],
    [rejectedAnswer("invalid_image"), 400, "invalid_image"],
    [shed("queue_too_long"), 503, "queue_full"],
    [shed("deadline_infeasible"), 503, "queue_timeout"],
    [shed("early_drop"), 503, "queue_timeout"],
    [answerWith({ kind: "expired", lateByMs: 1 }), 504, "upstream_timeout"],
    [answerWith({ kind: "failed", reason: "run_failed" }), 502, "upstream_failed"],
  ] as const;
  for (const [outcome, status, code] of outcomes) {
    const { post } = testServer(t, { dispatch: async () => [facesAnswer([1, 0]), outcome] });
    const response = await post("/verify", { img1: image, img2: image });
    assert.deepEqual([response.statusCode, response.json().error], [status, code]);
    assert.equal(response.headers["retry-after"], status === 503 ? "3" : undefined);
    if (code === "no_face_detected") {
      assert.equal(response.json().detail, "No face was found in img2.");
      assert.deepEqual([response.json().field, response.json().index], ["img2", 1]);
    }
  }
});

test("/verify: embeddings of two builds are never compared: upstream_failed", async (t) => {
  const mine = facesAnswer([1, 0]);
  const dispatch = async () => [mine, answeredBy(mine, { digest: "1".repeat(16), precision: "int8" })];
  const response = await testServer(t, { dispatch }).post("/verify", { img1: image, img2: image });
  assert.deepEqual([response.statusCode, response.json().error], [502, "upstream_failed"]);
  assert.match(response.json().detail, /different versions or precisions/);
  const withVector = await testServer(t, { dispatch: async () => [mine] }).post("/verify", {
    img1: image,
    img2: [1, 0],
  });
  assert.equal(withVector.statusCode, 200);
});

test("/verify: with `all_faces` the detector searches at full resolution", async (t) => {
  const { post, dispatched } = testServer(t);
  for (const all_faces of [false, "true", null]) {
    await post("/verify", { img1: image, img2: image, all_faces });
    await post("/compare", { img: image, candidates: [image], all_faces });
  }
  const full = dispatched.map(({ options }) => options.fullResolution);
  assert.deepEqual(full, [false, false, true, true, false, false]);
});

test("/verify: several references of one person are averaged, and each has its face in the response", async (t) => {
  const { post, dispatched } = testServer(t, {
    dispatch: async () => [facesAnswer([1, 0]), facesAnswer([0.8, 0.6])],
  });
  const response = VerifyResponse.strict().parse(
    (await post("/verify", { img1: [image, [0.6, 0.8]], img2: image })).json(),
  );
  assert.deepEqual([response.verified, response.distance], [true, 0.01613]);
  const area = testFacialArea(0);
  assert.deepEqual(response.facial_areas, { img1: null, img2: area });
  assert.deepEqual(response.faces_compared, { img1: null, img2: 1 });
  assert.deepEqual(response.references, [
    { facial_area: area, quality: null, quality_issues: null },
    { facial_area: null, quality: null, quality_issues: null },
  ]);
  assert.deepEqual([response.false_match_rate, response.threshold_false_match_rate], [null, null]);
  assert.equal(dispatched[0]?.images.length, 2);
  // A list of one is that one.
  const [one, alone] = [[[1, 0]], [1, 0]].map((img1) => post("/verify", { img1, img2: [0, 1] }));
  assert.deepEqual((await one)!.json().distance, (await alone)!.json().distance);
});

test("/verify: references at fault are named, and several of one person take a form, too", async (t) => {
  const answers = [facesAnswer([1, 0]), rejectedAnswer("no_face_detected"), facesAnswer([1, 0])];
  const { app, post } = testServer(t, { dispatch: async ({ images }) => answers.slice(-images.length) });
  const errorOf = async (body: object) => {
    const { error, field, index, detail } = (await post("/verify", { img2: image, ...body })).json();
    return [error, field, index, detail];
  };
  const [code, ...rest] = await errorOf({ img1: [image, image] });
  assert.deepEqual([code, ...rest], ["no_face_detected", "img1", 0, "No face was found in img1[1]."]);
  assert.equal((await errorOf({ img1: Array(6).fill(image) }))[0], "invalid_request");
  assert.equal((await errorOf({ img1: [image, 5] }))[0], "invalid_request");
  assert.equal((await errorOf({ img2: [image, image], img1: image }))[1], "img2");
  const euclidean = { img1: [image, image], distance_metric: "euclidean" };
  assert.deepEqual((await errorOf(euclidean)).slice(0, 2), ["invalid_request", "distance_metric"]);
  const form = new URLSearchParams([
    ["img1", "[1, 0]"],
    ["img1[]", "[0.8, 0.6]"],
    ["img2", "[1, 0]"],
    ["model_name", "SFace"],
  ]);
  const headers = { "x-api-key": testKey, "content-type": "application/x-www-form-urlencoded" };
  const sent = await app.inject({ method: "POST", url: "/verify", payload: form.toString(), headers });
  assert.equal(sent.json().references.length, 2);
});

test("/verify: a reference with several faces is refused, unless the largest of each counts", async (t) => {
  const dispatch = async () => [facesAnswer([1, 0], [0, 1]), facesAnswer([1, 0]), facesAnswer([1, 0])];
  const body = { img1: [image, image], img2: image };
  const { error, detail } = (await testServer(t, { dispatch }).post("/verify", body)).json();
  assert.equal(error, "multiple_faces");
  assert.match(detail, /^img1\[0\] is one of several references/);
  const largest = testServer(t).post("/verify", { ...body, face_policy: "largest" });
  assert.equal((await largest).json().verified, true);
});
