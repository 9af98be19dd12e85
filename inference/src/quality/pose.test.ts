import assert from "node:assert/strict";
import { test } from "node:test";
import { mulberry32 } from "@faceline/contracts/testing/mulberry32";
import { alignmentTemplates } from "../align/templates.ts";
import type { Point } from "../geometry/affine.ts";
import { meanHead, type Pose, PoseEstimate } from "./pose.ts";

// Heads are made up: the points of the mean head, turned by known angles and projected from far away.

const template = { ...alignmentTemplates.ibug_68, facingPitch: 0 };
const estimate = new PoseEstimate(template);

test("the mean head at any angle gives the angles that it was turned by", () => {
  for (const yaw of [-60, -25, 0, 40])
    for (const pitch of [-30, 0, 20])
      for (const roll of [-170, -45, 0, 90])
        for (const px of [8, 300]) {
          const found = estimate.of(projected(meanHead(template), { yaw, pitch, roll }, px));
          assert.deepEqual(wholeDegrees(found), { yaw, pitch, roll });
        }
});

test("heads with other noses, mouths and depths are off by 8 degrees at most", () => {
  const random = mulberry32(37);
  const off = { yaw: 0, pitch: 0 };
  for (let head = 0; head < 200; head++) {
    const depth = 0.8 + 0.4 * random();
    const points = meanHead(template).map(({ landmark, x, y, z }) => {
      // Two pixels of the chip are a 25th of the distance between the eyes.
      const [right, down] = [4 * random() - 2, 4 * random() - 2];
      return { landmark, x: x + right, y: y + down, z: z * depth };
    });
    const angles = { yaw: 90 * random() - 45, pitch: 40 * random() - 20, roll: 0 };
    const found = estimate.of(projected(points, angles));
    off.yaw = Math.max(off.yaw, Math.abs(found.yaw - angles.yaw));
    off.pitch = Math.max(off.pitch, Math.abs(found.pitch - angles.pitch));
  }
  assert.ok(off.yaw <= 8 && off.pitch <= 8, JSON.stringify(off));
});

test("turning the image adds to the roll alone, also for a head that is not the mean one", () => {
  const points = meanHead(template).map((point, i) => ({ ...point, x: point.x + (i % 3), y: 1.1 * point.y }));
  const before = projected(points, { yaw: 20, pitch: 10, roll: 5 });
  const after = before.map(({ x, y }) => ({ x: -y, y: x }));
  const [first, second] = [estimate.of(before), estimate.of(after)];
  assert.ok(Math.abs(second.roll - first.roll - 90) < 1e-9);
  assert.ok(Math.abs(second.yaw - first.yaw) < 1e-9 && Math.abs(second.pitch - first.pitch) < 1e-9);
});

test("five landmarks suffice", () => {
  const five = alignmentTemplates.five_point;
  const angles = { yaw: 30, pitch: -10, roll: 20 };
  assert.deepEqual(wholeDegrees(new PoseEstimate(five).of(projected(meanHead(five), angles))), angles);
});

/** Landmarks of a head, by their index: yaw to the right, pitch up, and roll clockwise. */
function projected(head: ReturnType<typeof meanHead>, { yaw, pitch, roll }: Pose, px = 1): Point[] {
  const [y, p, r] = [yaw, pitch, roll].map((angle) => (angle * Math.PI) / 180) as [number, number, number];
  const landmarks: Point[] = [];
  for (const point of head) {
    const [down, into] = turned(point.y, point.z, -p);
    const [right] = turned(point.x, into, y);
    const [across, along] = turned(right, down, r);
    landmarks[point.landmark] = { x: px * across + 40, y: px * along - 7 };
  }
  return landmarks;
}

const turned = (a: number, b: number, angle: number): [number, number] => [
  a * Math.cos(angle) - b * Math.sin(angle),
  a * Math.sin(angle) + b * Math.cos(angle),
];

const wholeDegrees = ({ yaw, pitch, roll }: Pose): Pose => ({
  yaw: Math.round(yaw) + 0,
  pitch: Math.round(pitch) + 0,
  roll: Math.round(roll) + 0,
});
