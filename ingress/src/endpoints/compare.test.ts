import assert from "node:assert/strict";
import { test } from "node:test";
import { type ComparedCandidate, CompareResponse } from "@faceline/contracts/http/compare";
import { encodeEmbedding } from "@faceline/contracts/wire/face";
import { Catalogue } from "@faceline/models/catalogue";
import {
  answeredBy,
  answerWith,
  base64Image,
  facesAnswer,
  rejectedAnswer,
  testBuild,
  testFacialArea,
  testModels,
  testPool,
  testServer,
} from "../../testing/server.ts";

const image = await base64Image();
const noFace = { face_found: null, facial_areas: [null] };
const base64Vector = (...numbers: number[]): string => encodeEmbedding(Float32Array.from(numbers));

test("/compare 200: vectors alone never leave the ingress", async (t) => {
  const { post, dispatched } = testServer(t);
  const candidates = [{ id: "ann", vector: [0, 1] }, [0.6, 0.8], { id: 7, vector: [2, 0] }];
  const response = await post("/compare", { vector: [1, 0], candidates }, { "x-request-id": "mine" });
  assert.equal(response.statusCode, 200);
  assert.deepEqual(CompareResponse.strict().parse(response.json()), {
    model_name: "SFace",
    distance_metric: "cosine",
    metric: "cosine",
    source: { type: "vector", vector_length: 2, face_index: null, face_found: null, facial_area: null },
    results: [
      {
        index: 0,
        id: "ann",
        person: null,
        distance: 1,
        false_match_rate: 0.9,
        match: false,
        ...noFace,
        references: 1,
      },
      {
        index: 1,
        id: "1",
        person: null,
        distance: 0.4,
        false_match_rate: 0.9,
        match: false,
        ...noFace,
        references: 1,
      },
      {
        index: 2,
        id: "7",
        person: null,
        distance: 0,
        false_match_rate: 0.1,
        match: true,
        ...noFace,
        references: 1,
      },
    ],
    threshold: 0.1,
    threshold_false_match_rate: 0.1,
    warnings: [],
    best_match: {
      index: 2,
      id: "7",
      person: null,
      distance: 0,
      false_match_rate: 0.1,
      match: true,
      ...noFace,
      references: 1,
    },
    time: 0,
    request_id: "mine",
  });
  assert.match(String(response.headers["server-timing"]), /queue;dur=0.00.* run;dur=0.00/);
  assert.equal(dispatched.length, 0);
});

test("/compare: vectors as Base64 of float32 in the field vector, as /represent returns them", async (t) => {
  const { post, dispatched } = testServer(t);
  const candidates = [
    { id: "ann", vector: base64Vector(0, 1) },
    { vector: [0.6, 0.8] },
    { vector: base64Vector(2, 0).replace(/=+$/, "") },
  ];
  const { source, results } = (await post("/compare", { vector: base64Vector(1, 0), candidates })).json();
  assert.deepEqual([source.type, source.vector_length], ["vector", 2]);
  assert.deepEqual(
    results.map(({ id, distance }: { id: string; distance: number }) => [id, distance]),
    [
      ["ann", 1],
      ["1", 0.4],
      ["2", 0],
    ],
  );
  const form = new URLSearchParams({
    model_name: "SFace",
    source_vector: base64Vector(1, 0),
    candidates: "[[0, 1]]",
  });
  const type = { "content-type": "application/x-www-form-urlencoded" };
  assert.equal((await post("/compare", form.toString(), type)).json().best_match.distance, 1);
  assert.equal(dispatched.length, 0);
});

test("/compare: a vector as Base64 that is none fails as a list does, alone and as the source", async (t) => {
  const { post } = testServer(t);
  const invalid = "invalid_vector";
  const wrong: [vector: unknown, error: string][] = [
    [base64Vector(1, 0, 0), "dimension_mismatch"],
    [base64Vector(1), "dimension_mismatch"],
    [base64Vector(Number.NaN, 0), invalid],
    [base64Vector(Number.POSITIVE_INFINITY, 0), invalid],
    [base64Vector(...Array<number>(4_097).fill(1)), invalid],
    [Buffer.from("12345678 ").toString("base64"), invalid],
    [base64Vector(1, 0).replace(/^./, "$& "), invalid],
    [`data:;base64,${base64Vector(1, 0)}`, invalid],
    ["", invalid],
    [image, invalid],
    [7, invalid],
    [{}, invalid],
  ];
  const candidates = [...wrong.map(([vector]) => ({ vector })), { vector: [1, 0] }];
  const { results } = (await post("/compare", { vector: [1, 0], candidates })).json();
  assert.deepEqual(
    results.map(({ error }: { error?: string }) => error),
    [...wrong.map(([, error]) => error), undefined],
  );
  for (const { detail } of results.slice(2, 4)) assert.match(detail, /finite numbers/);
  for (const [vector, error] of wrong) {
    const response = (await post("/compare", { vector, candidates: [[1, 0]] })).json();
    assert.deepEqual([response.error, response.field], [error, "vector"], String(vector).slice(0, 80));
  }
  // A bare text is an image, whatever it holds.
  const bare = await post("/compare", { vector: [1, 0], candidates: [base64Vector(1, 0)] });
  assert.equal(bare.json().error, "unsupported_image_format");
});

test("/compare aliases: source_vector, target_vectors, target_vector, vectors, vector_b, metric", async (t) => {
  const { post } = testServer(t);
  const bodies = [
    { source_vector: [1.5, 0], target_vectors: [[0, 2]] },
    { source_vector: [1.5, 0], target_vector: [0, 2] },
    { vector: [1.5, 0], vectors: [[0, 2]] },
    { vector: [1.5, 0], vector_b: [0, 2] },
  ];
  for (const body of bodies) {
    const { metric, results } = (await post("/compare", { ...body, metric: "euclidean" })).json();
    assert.deepEqual([metric, results.length, results[0].distance], ["euclidean", 1, 2.5]);
  }
});

test("/compare: vectors and images are dispatched in one call, with results in the order of the request", async (t) => {
  const { post, dispatched } = testServer(t, {
    dispatch: async () => [facesAnswer([1, 0], [0, 1]), facesAnswer([1, 0]), facesAnswer([1, 0], [0.6, 0.8])],
  });
  const candidates = [image, [0, 1], { id: "b", img: image }];
  const response = (await post("/compare", { img: image, candidates, face_index: 1 })).json();
  assert.deepEqual(response.source, {
    type: "image",
    vector_length: 2,
    face_index: 1,
    face_found: true,
    facial_area: testFacialArea(1),
  });
  const distances = response.results.map(({ distance }: { distance: number }) => distance);
  assert.deepEqual(distances, [1, 0, 0.2]);
  assert.equal(response.best_match.index, 1);
  assert.deepEqual(
    dispatched.map(({ images }) => images.length),
    [3],
  );
});

test("/compare: a candidate that fails has error and detail, and the others are compared", async (t) => {
  const { post } = testServer(t, {
    dispatch: async () => [facesAnswer([1, 0]), rejectedAnswer("no_face_detected")],
  });
  const candidates = [
    [1, 2, 3],
    { id: "b", vector: [1, "x"] },
    { id: "c" },
    { id: "d", img: "/etc/passwd" },
    image,
    5,
    null,
    [0, 1],
  ];
  const { results, best_match } = (await post("/compare", { img: image, candidates })).json();
  assert.deepEqual(
    results.map(({ id, error }: { id: string; error?: string }) => [id, error]),
    [
      ["0", "dimension_mismatch"],
      ["b", "invalid_vector"],
      ["c", "missing_image"],
      ["d", "unsupported_image_source"],
      ["4", "no_face_detected"],
      ["5", "invalid_request"],
      ["6", "missing_image"],
      ["7", undefined],
    ],
  );
  assert.deepEqual(results[4], {
    index: 4,
    id: "4",
    person: null,
    error: "no_face_detected",
    detail: "No face was found in candidate 4.",
  });
  assert.deepEqual(best_match, {
    index: 7,
    id: "7",
    person: null,
    distance: 1,
    false_match_rate: 0.9,
    match: false,
    ...noFace,
    references: 1,
  });
});

test("/compare: vectors that are no embedding for the metric fail alone, as the source they fail the call", async (t) => {
  const { post, dispatched } = testServer(t);
  const raw = [1.5, 0];
  const candidates = [[0.6, 0.8], { id: "b", vector: [0, 0] }, [1e-300, 0], [100, 0], raw];
  const errors = async (metric: string) => {
    const { results } = (await post("/compare", { vector: raw, candidates, metric })).json();
    return results.map(({ error }: { error?: string }) => error);
  };
  const fault = "invalid_vector";
  assert.deepEqual(await errors("euclidean"), [fault, fault, fault, fault, undefined]);
  assert.deepEqual(await errors("cosine"), [undefined, fault, fault, undefined, undefined]);
  const response = await post("/compare", { vector: [0.6, 0.8], candidates: [raw], metric: "euclidean" });
  assert.deepEqual(
    [response.statusCode, response.json().error, response.json().field, response.json().detail],
    [
      400,
      fault,
      "vector",
      "vector has length 1: compare it by cosine or euclidean_l2, or send the raw embedding.",
    ],
  );
  assert.equal(dispatched.length, 0);
});

test("/compare: when all candidates fail, the call fails with the code of the first", async (t) => {
  const { post, dispatched } = testServer(t);
  const response = await post("/compare", { img: image, candidates: [[1, 2, 3], { img: "" }] });
  const { error, status, field, index } = response.json();
  assert.deepEqual([error, status, field, index], ["dimension_mismatch", 400, "candidates", 0]);
  assert.equal(dispatched.length, 0);
});

test("/compare: a task that is shed fails the whole call", async (t) => {
  const shed = answerWith({ kind: "shed", reason: "queue_too_long", predictedMs: 1, retryAfterMs: 1 });
  const { post } = testServer(t, { dispatch: async () => [facesAnswer([1, 0]), facesAnswer([1, 0]), shed] });
  const response = await post("/compare", { img: image, candidates: [image, image] });
  assert.deepEqual([response.json().error, response.headers["retry-after"]], ["queue_full", "1"]);
});

test("/compare: one source, at least one candidate, and a face_index that exists", async (t) => {
  const { post } = testServer(t);
  const wrong: [object, string, string][] = [
    [{ candidates: [[1, 0]] }, "missing_image", "img"],
    [{ img: image, vector: [1, 0], candidates: [[1, 0]] }, "invalid_request", "vector"],
    [{ vector: [1, 2, 3], candidates: [[1, 0]] }, "dimension_mismatch", "vector"],
    [{ vector: "1,0", candidates: [[1, 0]] }, "invalid_vector", "vector"],
    [{ vector: [1, 0] }, "invalid_request", "candidates"],
    [{ vector: [1, 0], candidates: [] }, "invalid_request", "candidates"],
    [{ img: image, candidates: [[1, 0]], face_index: 1 }, "invalid_request", "face_index"],
    [{ img: image, candidates: [[1, 0]], face_index: -1 }, "invalid_request", "face_index"],
    [{ vector: [1, 0], candidates: [[1, 0]], metric: "l1" }, "invalid_distance_metric", "distance_metric"],
  ];
  for (const [body, code, field] of wrong) {
    const { error, field: actualField } = (await post("/compare", body)).json();
    assert.deepEqual([error, actualField], [code, field], JSON.stringify(body).slice(0, 80));
  }
});

test("Limits: 1,000 vectors and 50 images", async (t) => {
  const { post } = testServer(t);
  const compare = (count: number, candidate: unknown) =>
    post("/compare", { vector: [1, 0], candidates: Array.from({ length: count }, () => candidate) });
  assert.equal((await compare(1_000, [1, 0])).json().results.length, 1_000);
  assert.equal((await compare(1_001, [1, 0])).json().error, "too_many_candidates");
  assert.equal((await compare(1_000, { vector: base64Vector(1, 0) })).json().results.length, 1_000);
  assert.equal((await compare(1_001, { vector: base64Vector(1, 0) })).json().error, "too_many_candidates");
  assert.equal((await compare(50, image)).json().results.length, 50);
  assert.equal((await compare(51, image)).json().error, "too_many_candidates");
});

test("/compare: vectors of another model version are refused, before and after a worker has answered", async (t) => {
  const next = { ...testBuild, modelVersion: "ba9876543210" };
  const rollout = {
    ...testPool,
    lanes: [testBuild, next].flatMap((build) => testPool.lanes.map((lane) => ({ ...lane, build }))),
  };
  const dispatch = async () => [answeredBy(facesAnswer([1, 0]), next)];
  const { post, dispatched } = testServer(t, { poolStates: () => [rollout], dispatch });
  const refusals = async (body: object, model_version: string) => {
    const response = await post("/compare", { ...body, candidates: [[1, 0]], model_version });
    if (response.statusCode === 200) return "compared";
    assert.deepEqual([response.statusCode, response.json().field], [400, "model_version"]);
    return response.json().error;
  };
  // Both run: vectors of one of them may be compared with each other.
  const vector = { vector: [1, 0] };
  assert.equal(await refusals(vector, testBuild.modelVersion), "compared");
  assert.equal(await refusals(vector, next.modelVersion), "compared");
  assert.equal(await refusals(vector, "000000000000"), "model_not_allowed");
  assert.equal(await refusals({ img: image }, "000000000000"), "model_not_allowed");
  assert.equal(dispatched.length, 0, "no worker has seen an image for it");
  // The image was embedded by one of them.
  assert.equal(await refusals({ img: image }, next.modelVersion), "compared");
  assert.equal(await refusals({ img: image }, testBuild.modelVersion), "model_not_allowed");
});

test("/compare: another precision never invalidates vectors, and candidates of two builds are not ranked", async (t) => {
  const int8 = answeredBy(facesAnswer([1, 0]), { digest: "1".repeat(16), precision: "int8" });
  const body = { img: image, candidates: [[1, 0]], model_version: testBuild.modelVersion };
  const one = await testServer(t, { dispatch: async () => [int8] }).post("/compare", body);
  assert.equal(one.statusCode, 200);
  const dispatch = async () => [facesAnswer([1, 0]), int8];
  const two = await testServer(t, { dispatch }).post("/compare", { img: image, candidates: [image] });
  assert.equal(two.json().error, "upstream_failed");
});

test("/compare: without a worker the version of the own catalogue counts", async (t) => {
  const { app, post } = testServer(t, { poolStates: () => [] });
  const own = (await app.inject("/capabilities")).json().model_details.SFace.model_version;
  const statusOf = async (model_version: string) =>
    (await post("/compare", { vector: [1, 0], candidates: [[1, 0]], model_version })).statusCode;
  assert.deepEqual([await statusOf(own), await statusOf(testBuild.modelVersion)], [200, 400]);
});

test("/compare: a vector of an unnamed model is refused alone, and its own version names it", async (t) => {
  const { post } = testServer(t);
  const { modelVersion } = testBuild;
  const unnamed = { model_name: null, img: image };
  const other = { vector: [1, 0], model_version: "000000000000" };
  const candidates = [image, [1, 0], { vector: [1, 0], model_version: modelVersion }, other];
  const { results } = (await post("/compare", { ...unnamed, candidates })).json();
  assert.deepEqual(
    results.map(({ error }: { error?: string }) => error),
    [undefined, "missing_model_version", undefined, "model_not_allowed"],
  );
  assert.match(results[1].detail, /send the model_version that \/represent returned with it, or model_name/);
  // All embeddings of a request are of one version, and a worker must run it.
  const whole = (await post("/compare", { ...unnamed, candidates: [image, other] })).json();
  assert.deepEqual([whole.error, whole.field], ["model_not_allowed", "model_version"]);
  const source = (await post("/compare", { model_name: null, vector: [1, 0], candidates: [image] })).json();
  assert.deepEqual([source.error, source.field], ["missing_model_version", "vector"]);
});

test("/compare: a version selects its model, so that stored vectors outlive a change of the default", async (t) => {
  const models = [{ ...testModels[0]!, name: "New" }, ...testModels] as typeof testModels;
  const settings = { MODELS: "New,SFace" };
  const { post } = testServer(t, { catalogue: new Catalogue(models), settings });
  const stored = { vector: [1, 0], candidates: [[1, 0]], model_version: testBuild.modelVersion };
  assert.equal((await post("/compare", { ...stored, model_name: null })).json().model_name, "SFace");
  const refused = (await post("/compare", { ...stored, model_name: "New" })).json();
  assert.deepEqual([refused.error, refused.field], ["model_not_allowed", "model_version"]);
  assert.match(refused.detail, /^model_version must be one of: [0-9a-f]{12} \(New\)/);
});

test("/compare: candidates with one `person` have one verdict and one result, and may be the best match", async (t) => {
  const { post } = testServer(t);
  const ann = (...vector: number[]) => ({ person: "ann", vector });
  const candidates = [ann(1, 0), { id: "b", vector: [0, 1] }, ann(0.6, 0.8), ann(0.8, 0.6)];
  const { results, best_match, threshold_false_match_rate } = (
    await post("/compare", { vector: [0.8, 0.6], candidates })
  ).json();
  assert.deepEqual(
    results.map(({ id, person, references }: ComparedCandidate) => [id, person, references]),
    [
      ["0", "ann", 3],
      ["b", null, 1],
    ],
  );
  assert.deepEqual([best_match.person, best_match.distance, best_match.match], ["ann", 0.006654, true]);
  // The pair's curve is not that of three references, and this model has no other.
  assert.deepEqual([best_match.false_match_rate, threshold_false_match_rate], [null, null]);
  assert.equal(results[1].false_match_rate, 0.9);
});

test("/compare: a person fails with any reference, and several need a metric without lengths", async (t) => {
  const dispatch = async () => [facesAnswer([1, 0]), facesAnswer([1, 0]), rejectedAnswer("no_face_detected")];
  const { post } = testServer(t, { dispatch });
  const ann = [image, image].map((img) => ({ person: "ann", img }));
  const body = { img: image, candidates: [...ann, [1, 0]] };
  const { results, best_match } = (await post("/compare", body)).json();
  const [{ index, person, error }] = results;
  assert.deepEqual([index, person, error, best_match.index], [1, "ann", "no_face_detected", 2]);
  const euclidean = (await post("/compare", { ...body, distance_metric: "euclidean" })).json();
  assert.deepEqual([euclidean.error, euclidean.field], ["invalid_request", "distance_metric"]);
  const six = (await post("/compare", { ...body, candidates: Array(6).fill(ann[0]) })).json();
  assert.equal(six.error, "too_many_candidates");
  const named = (each: unknown) => ({ vector: [1, 0], person: each });
  const odd = (await post("/compare", { img: image, candidates: ["", 7, {}].map(named) })).json();
  assert.deepEqual([odd.error, odd.index], ["invalid_request", 0]);
});
