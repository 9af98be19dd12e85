import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pixels } from "@faceline/inference/geometry/pixels";
import { type BoxedPhotograph, matchFaces, type Scene, sceneSets } from "./scenes.ts";

const white = 255;
/** A white face of 100 pixels in a dark image. */
const photograph = photographOf({ left: 150, top: 100 });
const other = photographOf({ left: 60, top: 40 });

test("in every scene a face is where the scene says, and that wide", async () => {
  for (const [name, make] of Object.entries(sceneSets)) {
    const { image, faces } = await make(photograph, other);
    assert.equal(faces.length, name.startsWith("beside") ? 2 : 1);
    for (const face of faces) {
      assert.ok(valueAt(image, face.x, face.y) > 240, `${name}: the middle`);
      // A face that fills its image ends with it, and a turned one ends later.
      const beside = face.x + 0.75 * face.width;
      if (beside < image.width) assert.ok(valueAt(image, beside, face.y) < 20, `${name}: beside it`);
    }
  }
});

test("a box shows a face whose middle is in it, if it is neither half nor twice as wide", () => {
  const scene: Scene = {
    image: photograph.image,
    faces: [
      { x: 50, y: 50, width: 40 },
      { x: 200, y: 50, width: 40 },
    ],
  };
  const square = (x: number, side: number) => ({
    left: x - side / 2,
    top: 50 - side / 2,
    right: x + side / 2,
    bottom: 50 + side / 2,
  });
  assert.deepEqual(matchFaces(scene, [square(50, 40), square(200, 60)]), { found: 2, extra: 0 });
  assert.deepEqual(matchFaces(scene, [square(50, 20), square(200, 80)]), { found: 0, extra: 2 });
  assert.deepEqual(matchFaces(scene, [square(120, 40)]), { found: 0, extra: 1 });
  assert.deepEqual(matchFaces(scene, []), { found: 0, extra: 0 });
});

function photographOf({ left, top }: { left: number; top: number }): BoxedPhotograph {
  const [width, height, side] = [400, 500, 100];
  const pixels = new Uint8Array(3 * width * height);
  for (let y = top; y < top + side; y++) {
    pixels.fill(white, 3 * (y * width + left), 3 * (y * width + left + side));
  }
  return { image: { pixels, width, height }, box: { left, top, right: left + side, bottom: top + side } };
}

function valueAt({ pixels, width }: Pixels, x: number, y: number): number {
  return pixels[3 * (Math.floor(y) * width + Math.floor(x))]!;
}
