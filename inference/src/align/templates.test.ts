import assert from "node:assert/strict";
import { test } from "node:test";
import { landmarkCounts } from "@faceline/models/catalogue-entry";
import { alignmentTemplates, eyesOf } from "./templates.ts";

test("the person's left eye is the one on the image's right", () => {
  const landmarks = Array.from({ length: 68 }, (_, i) => ({ x: i, y: 2 * i }));
  assert.deepEqual(eyesOf(landmarks, alignmentTemplates.ibug_68), {
    left: { x: 44.5, y: 89 },
    right: { x: 38.5, y: 77 },
  });
});

for (const [scheme, template] of Object.entries(alignmentTemplates)) {
  test(`${scheme}: every fitted landmark has a point in the chip, and the eyes lie in the upper half`, () => {
    const count = landmarkCounts[scheme as keyof typeof landmarkCounts];
    const { fitted, points, chipPx } = template;
    assert.equal(fitted.length, points.length);
    for (const { x, y } of points) assert.ok(Math.min(x, y) > 0 && Math.max(x, y) < chipPx);
    const landmarks = Array.from({ length: count }, () => ({ x: Number.NaN, y: Number.NaN }));
    for (const [i, landmark] of fitted.entries()) landmarks[landmark] = points[i]!;
    const { left, right } = eyesOf(landmarks, template);
    assert.ok(right.x < left.x && Math.max(left.y, right.y) < chipPx / 2);
  });
}
