import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { FaceQuality } from "@faceline/contracts/http/quality";
import type { Answer } from "@faceline/contracts/wire/answer";
import {
  answerWith,
  base64Image,
  encodedEmbedding,
  testFacialArea,
  testServer,
} from "../../testing/server.ts";

const image = await base64Image();
const two = { img1: image, img2: image };

const good: FaceQuality = {
  eye_distance_px: 60,
  sharpness: 0.5,
  yaw: 0,
  pitch: 0,
  roll: 120,
  brightness: 0.5,
  outside_share: 0,
};
const blurred = { ...good, sharpness: 0.2 };
const small = { ...good, eye_distance_px: 12.5 };

test("responses have the measurements of the faces and their issues; nothing is refused for them", async (t) => {
  const poor = {
    eye_distance_px: 5,
    sharpness: 0,
    yaw: -70,
    pitch: 0,
    roll: 0,
    brightness: 0,
    outside_share: 1,
  };
  const issues = ["too_small", "blurred", "turned_away", "too_dark", "cut_off"];
  const represented = await call(t, "/represent", { img: image }, [[poor, { ...good, brightness: 0.95 }]]);
  assert.deepEqual(represented.results[0].quality, poor);
  assert.deepEqual(represented.results[0].quality_issues, issues);
  assert.deepEqual(represented.results[1].quality_issues, ["too_bright"]);
  const verified = await call(t, "/verify", two, [[poor], [good]]);
  assert.deepEqual(verified.quality, { img1: poor, img2: good });
  assert.deepEqual(verified.quality_issues, { img1: issues, img2: [] });
});

test("a vector, and a face that was not measured, have null", async (t) => {
  const { quality, quality_issues } = await call(t, "/verify", { img1: image, img2: [1, 0] }, [[undefined]]);
  assert.deepEqual([quality, quality_issues], [nulls, nulls]);
});

test("faces that do not meet the rule are left out, in all three calls", async (t) => {
  const faces = [[blurred, small, good]];
  const shown = async (rule: object) =>
    (await call(t, "/represent", { img: image, ...rule }, faces)).results.map(
      (result: { quality: FaceQuality }) => result.quality,
    );
  assert.deepEqual(await shown({}), faces[0]);
  assert.deepEqual(await shown({ min_quality: "none" }), faces[0]);
  assert.deepEqual(await shown({ min_quality: "no_issues" }), [good]);
  assert.deepEqual(await shown({ min_face_px: 12 }), faces[0]);
  assert.deepEqual(await shown({ min_face_px: 60 }), [blurred, good]);

  const verified = await call(t, "/verify", { ...two, min_quality: "no_issues" }, [...faces, [good]]);
  assert.deepEqual([verified.faces_compared, verified.quality.img1], [{ img1: 1, img2: 1 }, good]);

  const candidates = [image, image, [1, 0]];
  const compared = await call(t, "/compare", { img: image, candidates, min_face_px: 13 }, [
    [good],
    [small, good],
    [small],
  ]);
  assert.deepEqual(
    compared.results.map(({ error }: { error?: string }) => error),
    [undefined, "low_quality", undefined],
  );
});

test("if none is left, the error says what was measured and what is needed", async (t) => {
  const refused = async (path: string, body: object, faces: Qualities[]) => {
    const { error, status, field, detail } = await call(t, path, body, faces);
    assert.deepEqual([error, status], ["low_quality", 400]);
    return [field, detail];
  };
  assert.deepEqual(await refused("/verify", { ...two, min_quality: "no_issues" }, [[good], [blurred]]), [
    "img2",
    "The face in img2 is blurred (sharpness 0.2, at least 0.34 is needed).",
  ]);
  assert.deepEqual(await refused("/represent", { img: image, min_face_px: 40 }, [[small, small]]), [
    "img",
    "None of the 2 faces in img has the quality that the request asks for; the largest is smaller than " +
      "min_face_px asks for (12.5 pixels between the eyes).",
  ]);
});

test("what was not measured is refused where the call has a rule: the whole image, and an older worker's face", async (t) => {
  const rule = { min_quality: "no_issues", enforce_detection: false };
  const older = await call(t, "/verify", { ...two, ...rule }, [[undefined], [good]]);
  assert.deepEqual(
    [older.error, older.detail],
    ["low_quality", "The face in img1 is of unmeasured quality."],
  );
  const whole = await call(t, "/verify", { ...two, ...rule }, [[good], [undefined]], 0);
  assert.deepEqual(whole.error, "low_quality");
  assert.match(whole.detail, /none was found/);
});

test("the face that face_index names is judged, and no index moves up for one that is left out", async (t) => {
  const body = { img: image, candidates: [[1, 0]], min_quality: "no_issues" };
  const faces = [[blurred, good, small]];
  assert.equal((await call(t, "/compare", { ...body, face_index: 1 }, faces)).source.face_index, 1);
  assert.equal((await call(t, "/compare", { ...body, face_index: 0 }, faces)).error, "low_quality");
});

test("`single_only` counts faces of low quality too", async (t) => {
  const body = { ...two, face_policy: "single_only", min_quality: "no_issues" };
  assert.equal((await call(t, "/verify", body, [[good, blurred], [good]])).error, "multiple_faces");
  assert.equal((await call(t, "/verify", body, [[blurred], [good]])).error, "low_quality");
});

test("without alignment there is nothing to judge by, so a rule is refused", async (t) => {
  for (const rule of [{ min_quality: "no_issues" }, { min_face_px: 20 }]) {
    const { error, field } = await call(t, "/verify", { ...two, align: false, ...rule }, [[good], [good]]);
    assert.deepEqual([error, field], ["invalid_request", Object.keys(rule)[0]]);
  }
  for (const rule of [{ min_quality: "high" }, { min_face_px: 0 }, { min_face_px: 1.5 }]) {
    const { error, field } = await call(t, "/verify", { ...two, ...rule }, [[good], [good]]);
    assert.deepEqual([error, field], ["invalid_request", Object.keys(rule)[0]]);
  }
});

const nulls = { img1: null, img2: null };

/** The body of the response where workers find faces of these qualities, image by image. */
async function call(t: TestContext, path: string, body: object, images: Qualities[], lastConfidence = 0.9) {
  const answers = images.map(
    (qualities, i): Answer =>
      answerWith({
        kind: "faces",
        faces: qualities.map((quality) => ({
          area: testFacialArea(0),
          confidence: i === images.length - 1 ? lastConfidence : 0.9,
          embedding: encodedEmbedding([1, 0]),
          quality,
        })),
      }),
  );
  return (await testServer(t, { dispatch: async () => answers }).post(path, body)).json();
}

type Qualities = (FaceQuality | undefined)[];
