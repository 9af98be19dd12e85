import assert from "node:assert/strict";
import { test } from "node:test";
import { apply, type Point, squareMap } from "../geometry/affine.ts";
import { boxCrop, leaningCrops, turnedCrop, uprightCrop } from "./crop.ts";
import { alignmentTemplates } from "./templates.ts";

test("a crop shows its box in the middle of a square, black beside it", () => {
  const box = { left: 100, top: 100, right: 150, bottom: 200 };
  const { cropToImage, within } = boxCrop(box, 100);
  assert.deepEqual(within, box);
  near(apply(cropToImage, { x: 50, y: 50 }), { x: 125, y: 150 });
  near(apply(cropToImage, { x: 25, y: 0 }), { x: 100, y: 100 });
  near(apply(cropToImage, { x: 75, y: 100 }), { x: 150, y: 200 });
});

test("a turned crop has the right side of the box at its top, and shows what is beside the box", () => {
  const image = { width: 300, height: 300 };
  const box = { left: 100, top: 100, right: 200, bottom: 200 };
  const { cropToImage, within } = turnedCrop(box, 1, image, 100);
  assert.deepEqual(within, { left: 0, top: 0, right: 300, bottom: 300 });
  near(apply(cropToImage, { x: 50, y: 0 }), { x: 207.5, y: 150 });
  near(apply(cropToImage, { x: 50, y: 100 }), { x: 92.5, y: 150 });
});

test("an upright crop follows the rotation and the scale of the fit", () => {
  const template = alignmentTemplates.ibug_68;
  const fit = squareMap({ centre: { x: 200, y: 150 }, side: 300, angle: Math.PI / 2 }, template.chipPx);
  const { cropToImage, within } = uprightCrop(fit, template, { width: 400, height: 300 }, 112);
  assert.deepEqual(within, { left: 0, top: 0, right: 400, bottom: 300 });
  near(apply(cropToImage, { x: 56, y: 56 }), apply(fit, template.detectorSquare.centre));
  near(apply(cropToImage, { x: 56, y: 0 }), {
    x: apply(fit, template.detectorSquare.centre).x + 149,
    y: apply(fit, template.detectorSquare.centre).y,
  });
});

test("leaning crops have the centre of the upright one, and are turned to both sides", () => {
  const template = alignmentTemplates.ibug_68;
  const fit = squareMap({ centre: { x: 200, y: 150 }, side: 300, angle: 0 }, template.chipPx);
  const image = { width: 400, height: 300 };
  const centre = apply(uprightCrop(fit, template, image, 112).cropToImage, { x: 56, y: 56 });
  const crops = leaningCrops(fit, template, image, 112);
  for (const { cropToImage } of crops) near(apply(cropToImage, { x: 56, y: 56 }), centre);
  const above = crops.map(({ cropToImage }) => apply(cropToImage, { x: 56, y: 0 }));
  const half = template.detectorSquare.sidePx;
  near(above[0]!, {
    x: centre.x + 1.15 * half * Math.sin(Math.PI / 6),
    y: centre.y - 1.15 * half * Math.cos(Math.PI / 6),
  });
  near(above[1]!, {
    x: centre.x - 0.87 * half * Math.sin(Math.PI / 12),
    y: centre.y - 0.87 * half * Math.cos(Math.PI / 12),
  });
});

function near(actual: Point, expected: Point): void {
  assert.ok(Math.hypot(actual.x - expected.x, actual.y - expected.y) < 1e-9, JSON.stringify(actual));
}
