import assert from "node:assert/strict";
import { test } from "node:test";
import { apply, composed, squareMap } from "../geometry/affine.ts";
import { fitSimilarity } from "../geometry/similarity.ts";
import { widthRatio, withoutStretch } from "./stretch.ts";
import { alignmentTemplates } from "./templates.ts";

const { points, chipPx } = alignmentTemplates.ibug_68;
const upright = squareMap({ centre: { x: 200, y: 150 }, side: 300, angle: 0 }, chipPx);
const wider = (ratio: number) => ({ a: ratio, b: 0, c: 0, d: 1, e: 0, f: 0 });

const seenAt = (ratio: number, degrees = 0) => {
  const turn = squareMap({ centre: { x: 0, y: 0 }, side: 1, angle: (degrees * Math.PI) / 180 }, 1);
  const seen = points.map((point) => apply(composed(composed(upright, wider(ratio)), turn), point));
  return { seen, fit: fitSimilarity(points, seen) };
};

test("the width of a face is measured in its own axes", () => {
  for (const degrees of [0, 40, 180]) {
    const { seen, fit } = seenAt(1.5, degrees);
    assert.ok(Math.abs(widthRatio(fit, points, seen) - 1.5) < 0.02, `${degrees} degrees`);
  }
});

test("a stretched face is made as wide as the widest that people have, and no narrower", () => {
  const { seen, fit } = seenAt(1.8);
  const map = withoutStretch(fit, points, seen);
  assert.ok(Math.abs(map.a / map.d - 1.8 / 1.25) < 0.02, `${map.a / map.d}`);
  assert.ok(Math.abs(map.a * map.d - fit.a * fit.d) < 1e-9, "it keeps its size");
});

test("faces of the usual widths, and narrow ones, keep their own", () => {
  for (const ratio of [0.6, 0.9, 1, 1.24]) {
    const { seen, fit } = seenAt(ratio);
    assert.equal(withoutStretch(fit, points, seen), fit);
  }
});
