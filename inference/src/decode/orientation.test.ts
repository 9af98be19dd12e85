import assert from "node:assert/strict";
import { test } from "node:test";
import { applyOrientation, uprightSize } from "./orientation.ts";

// The orientation says where row 0 and column 0 of the stored image lie in the scene (EXIF 2.32, tag 274).
// The upright position of each stored pixel follows from that.
const positions: Record<number, (x: number, y: number, right: number, bottom: number) => [number, number]> = {
  2: (x, y, right) => [right - x, y],
  3: (x, y, right, bottom) => [right - x, bottom - y],
  4: (x, y, _, bottom) => [x, bottom - y],
  5: (x, y) => [y, x],
  6: (x, y, _, bottom) => [bottom - y, x],
  7: (x, y, right, bottom) => [bottom - y, right - x],
  8: (x, y, right) => [y, right - x],
};

for (const [name, position] of Object.entries(positions)) {
  test(`orientation ${name}: every pixel is at its upright position, at any width`, async () => {
    // Sizes around a group of four pixels, around a tile, and more than a band.
    for (const [width, height] of [...small(), [63, 65], [130, 67], [66, 129], [700, 301]] as const) {
      const image = { width, height, orientation: Number(name), progressive: false };
      const stored = Uint32Array.from({ length: width * height }, (_, i) => (i + 1) | 0xab00_0000);
      // Some more bytes on each side, which must not change.
      const memory = new Uint8Array(new SharedArrayBuffer(8 + 3 * width * height + 8)).fill(0xee);
      const upright = memory.subarray(8, 8 + 3 * width * height);
      await applyOrientation(stored, image, upright);

      const expected = Buffer.alloc(3 * width * height);
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          const [column, row] = position(x, y, width - 1, height - 1);
          expected.writeUIntLE(y * width + x + 1, 3 * (row * uprightSize(image).width + column), 3);
        }
      }
      assert.ok(expected.equals(upright), `${width} x ${height}`);
      assert.ok(
        memory.subarray(0, 8).every((byte) => byte === 0xee),
        "before",
      );
      assert.ok(
        memory.subarray(-8).every((byte) => byte === 0xee),
        "behind",
      );
    }
  });
}

function small(): [number, number][] {
  return Array.from({ length: 81 }, (_, i) => [1 + (i % 9), 1 + Math.floor(i / 9)]);
}
