import assert from "node:assert/strict";
import { test } from "node:test";
import type { Network, Rows } from "../engine/network.ts";
import { Detector, type SearchedPicture } from "./detector.ts";

// The networks stand in here: what is tested is who is looked at in which size. The real ones are in lanes.test.ts.

test("one face that is seen clearly in small is not looked at again", async () => {
  const { looks, detector } = staged({ 160: 0.9, 288: 0.9, 512: 0.9 });
  const { faces, secondLooks } = await detector.detect([picture(), picture()]);
  assert.deepEqual(looks, ["160: 2", "288: 0", "512: 0", "512: 0"]);
  assert.deepEqual([faces.length, faces[0]![0]!.score, secondLooks], [2, Math.fround(0.9), 0]);
});

test("one that is not goes on to the next size, and the last decides", async () => {
  const { looks, detector } = staged({ 160: 0.79, 288: 0.6, 512: 0.55 });
  const { faces, secondLooks } = await detector.detect([picture()]);
  assert.deepEqual(looks, ["160: 1", "288: 1", "512: 1", "512: 0"]);
  assert.deepEqual([faces[0]![0]!.score, secondLooks], [Math.fround(0.55), 0]);
});

test("a clear face is not enough where there could be another", async () => {
  const { looks, detector } = staged({ 160: 0.9, 288: 0.9, 512: 0.9 }, { 160: 0.3, 288: 0.85 });
  const { faces } = await detector.detect([picture()]);
  assert.deepEqual(looks, ["160: 1", "288: 1", "512: 0", "512: 0"]);
  assert.equal(faces[0]!.length, 2);
});

test("where every face is wanted, the full size alone will do", async () => {
  const { looks, detector } = staged({ 160: 0.9, 288: 0.9, 512: 0.6 });
  await detector.detect([picture({ fullResolution: true }), picture()]);
  assert.deepEqual(looks, ["160: 1", "288: 0", "512: 1", "512: 0"]);
});

test("where a face is not aligned, nothing mends its box: the full size alone will do", async () => {
  const { looks, detector } = staged({ 160: 0.9, 288: 0.9, 512: 0.6 });
  await detector.detect([picture({ align: false }), picture()]);
  assert.deepEqual(looks, ["160: 1", "288: 0", "512: 1", "512: 0"]);
});

test("where none is seen, the picture is looked at once more in full size", async () => {
  const { looks, detector } = staged({ 160: 0.2, 288: 0.2, 512: 0.2 });
  const { faces, secondLooks } = await detector.detect([picture(), picture({ fullResolution: true })]);
  assert.deepEqual(looks, ["160: 1", "288: 1", "512: 2", "512: 2"]);
  assert.deepEqual([faces, secondLooks], [[[], []], 2]);
});

/** A detector that sees the same face in each picture, with a score for each size; and another, where it is told. */
function staged(scores: Record<number, number>, other: Record<number, number> = {}) {
  const looks: string[] = [];
  const networks = Object.entries(scores).map(([px, score]) => ({
    px: Number(px),
    async run(count: number, { write, read }: Rows) {
      looks.push(`${px}: ${count}`);
      for (let row = 0; row < count; row++) {
        write(row, new Uint8Array(3 * Number(px) ** 2));
        read(row, (name) =>
          Float32Array.from(
            name === "scores" ? [score, other[Number(px)] ?? 0] : [0.2, 0.2, 0.5, 0.5, 0.6, 0.6, 0.8, 0.8],
          ),
        );
      }
    },
  }));
  const limits = { scoreMin: 0.1, faceFrom: 0.5, overlapMax: 0.5, clear: { below: 0.1, from: 0.8 } };
  return { looks, detector: new Detector(networks as unknown as Network[], limits) };
}

function picture({ fullResolution = false, align = true } = {}): SearchedPicture {
  return { pixels: new Uint8Array(3 * 64 * 64), width: 64, height: 64, options: { fullResolution, align } };
}
