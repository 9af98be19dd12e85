import assert from "node:assert/strict";
import { test } from "node:test";
import { apply, type Point, squareMap } from "../geometry/affine.ts";
import { boxCrop, leaningCrop, uprightCrop } from "./crop.ts";
import { alignmentTemplates } from "./templates.ts";

test("a crop shows its box in the middle of a square, black beside it", () => {
  const box = { left: 100, top: 100, right: 150, bottom: 200 };
  const { cropToPicture, within } = boxCrop(box, 0, 100);
  assert.deepEqual(within, box);
  near(apply(cropToPicture, { x: 50, y: 50 }), { x: 125, y: 150 });
  near(apply(cropToPicture, { x: 25, y: 0 }), { x: 100, y: 100 });
  near(apply(cropToPicture, { x: 75, y: 100 }), { x: 150, y: 200 });
});

test("the top of a crop that is turned by a quarter is the right side of the box", () => {
  const { cropToPicture } = boxCrop({ left: 100, top: 100, right: 200, bottom: 200 }, 1, 100);
  near(apply(cropToPicture, { x: 50, y: 0 }), { x: 200, y: 150 });
  near(apply(cropToPicture, { x: 50, y: 100 }), { x: 100, y: 150 });
});

test("an upright crop follows the rotation and the scale of the fit", () => {
  const template = alignmentTemplates.ibug_68;
  const fit = squareMap({ centre: { x: 200, y: 150 }, side: 300, angle: Math.PI / 2 }, template.chipPx);
  const { cropToPicture, within } = uprightCrop(fit, template, { width: 400, height: 300 }, 112);
  assert.deepEqual(within, { left: 0, top: 0, right: 400, bottom: 300 });
  near(apply(cropToPicture, { x: 56, y: 56 }), apply(fit, template.detectorSquare.centre));
  near(apply(cropToPicture, { x: 56, y: 0 }), {
    x: apply(fit, template.detectorSquare.centre).x + 149,
    y: apply(fit, template.detectorSquare.centre).y,
  });
});

test("a leaning crop shows the upright one from further away, turned by 15 degrees", () => {
  const template = alignmentTemplates.ibug_68;
  const fit = squareMap({ centre: { x: 200, y: 150 }, side: 300, angle: 0 }, template.chipPx);
  const picture = { width: 400, height: 300 };
  const upright = uprightCrop(fit, template, picture, 112).cropToPicture;
  const { cropToPicture } = leaningCrop(fit, template, picture, 112);
  const centre = apply(upright, { x: 56, y: 56 });
  near(apply(cropToPicture, { x: 56, y: 56 }), centre);
  const top = apply(cropToPicture, { x: 56, y: 0 });
  const side = 1.15 * 2 * template.detectorSquare.sidePx;
  near(top, {
    x: centre.x + (side / 2) * Math.sin(Math.PI / 12),
    y: centre.y - (side / 2) * Math.cos(Math.PI / 12),
  });
});

function near(actual: Point, expected: Point): void {
  assert.ok(Math.hypot(actual.x - expected.x, actual.y - expected.y) < 1e-9, JSON.stringify(actual));
}
