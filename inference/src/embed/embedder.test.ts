import assert from "node:assert/strict";
import { test } from "node:test";
import { readCatalogue } from "@faceline/models/catalogue";
import { alignmentTemplates } from "../align/templates.ts";
import { chipToTemplate } from "./embedder.ts";
import { fitSimilarity, meanOf } from "../geometry/similarity.ts";

const model = (await readCatalogue()).find("embedding", "MobileFaceNet")!;

test("MobileFaceNet's chip is ArcFace's, fitted to dlib's mean face by eyes, nose and corners of the mouth", () => {
  const { fitted, points, rightEye, leftEye } = alignmentTemplates.ibug_68;
  const at = (landmark: number) => points[fitted.indexOf(landmark)]!;
  const [noseTip, rightCorner, leftCorner] = [30, 48, 54].map(at);
  const eyes = [rightEye, leftEye].map((eye) => meanOf(eye.map(at)));
  const five = [...eyes, noseTip!, rightCorner!, leftCorner!];
  const expected = fitSimilarity(alignmentTemplates.five_point.points, five);
  for (const [name, value] of Object.entries(chipToTemplate(model, alignmentTemplates.ibug_68))) {
    assert.ok(Math.abs(value - expected[name as keyof typeof expected]) < 1e-4, name);
  }
});
