import { type AlignmentTemplate, eyesOf, pointsByLandmark } from "../align/templates.ts";
import type { Point } from "../geometry/affine.ts";

/**
 * Estimates how a head is turned from its landmarks and where they lie on a mean head: the rotation of the
 * scaled orthographic projection that brings the mean head nearest to the landmarks, in closed form (POS, the
 * first step of DeMenthon and Davis, "Model-based object pose in 25 lines of code", 1995). People's heads
 * differ from the mean one, and the camera is taken to be far away.
 */
export class PoseEstimate {
  readonly #landmarks: readonly number[];
  /** The pseudoinverse of the centred points of the head: three rows. */
  readonly #inverse: readonly (readonly number[])[];
  readonly #facingPitch: number;

  constructor(template: AlignmentTemplate) {
    const head = meanHead(template);
    this.#landmarks = head.map(({ landmark }) => landmark);
    const meanOfAll = (of: (point: HeadPoint) => number) =>
      head.reduce((sum, point) => sum + of(point), 0) / head.length;
    const [x, y, z] = [meanOfAll((p) => p.x), meanOfAll((p) => p.y), meanOfAll((p) => p.z)];
    const points = head.map((point): Vector => [point.x - x, point.y - y, point.z - z]);
    const moment = (i: 0 | 1 | 2): Vector => [
      points.reduce((sum, point) => sum + point[i] * point[0], 0),
      points.reduce((sum, point) => sum + point[i] * point[1], 0),
      points.reduce((sum, point) => sum + point[i] * point[2], 0),
    ];
    const [a, b, c] = [moment(0), moment(1), moment(2)];
    const determinant = dot(a, cross(b, c));
    // The rows of the inverse of a symmetric matrix, by its cofactors.
    this.#inverse = [cross(b, c), cross(c, a), cross(a, b)].map((row) =>
      points.map((point) => dot(row, point) / determinant),
    );
    this.#facingPitch = template.facingPitch;
  }

  /** Takes all landmarks of the scheme, in pixels of any size. */
  of(landmarks: readonly Point[]): Pose {
    const points = this.#landmarks.map((i) => landmarks[i]!);
    const project = (coordinate: "x" | "y") =>
      this.#inverse.map((row) => row.reduce((sum, weight, i) => sum + weight * points[i]![coordinate], 0));
    const [across, down] = orthonormal(project("x") as Vector, project("y") as Vector);
    const into = cross(across, down);
    return {
      yaw: degrees(Math.asin(Math.min(1, Math.max(-1, into[0])))),
      pitch: degrees(Math.atan2(-into[1], into[2])) - this.#facingPitch,
      roll: degrees(Math.atan2(down[0], across[0])),
    };
  }
}

/**
 * The two rows of a rotation that are nearest to two given ones of about one length: the polar decomposition.
 * A rotation in the plane of the image turns both results alike.
 */
function orthonormal(first: Vector, second: Vector): [Vector, Vector] {
  const [a, b, d] = [dot(first, first), dot(first, second), dot(second, second)];
  const root = Math.sqrt(a * d - b * b);
  const scale = root * Math.sqrt(a + d + 2 * root);
  const combine = (p: number, q: number) =>
    first.map((value, i) => (p * value + q * second[i]!) / scale) as Vector;
  return [combine(d + root, -b), combine(-b, a + root)];
}

const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

const cross = ([a, b, c]: Vector, [d, e, f]: Vector): Vector => [b * f - c * e, c * d - a * f, a * e - b * d];

const degrees = (radians: number): number => (radians * 180) / Math.PI;

type Vector = [number, number, number];

/** The landmarks of a template that have a depth, in pixels of its chip; z points away from the camera. */
export function meanHead(template: AlignmentTemplate): HeadPoint[] {
  const points = pointsByLandmark(template);
  const { left, right } = eyesOf(points, template);
  const eyeDistance = Math.hypot(left.x - right.x, left.y - right.y);
  return Object.entries(template.depths).map(([name, depth]) => {
    const landmark = Number(name);
    return { landmark, ...points[landmark]!, z: -depth * eyeDistance };
  });
}

type HeadPoint = Point & { landmark: number; z: number };

/**
 * Angles in degrees; all are 0 for a head that looks into the camera. Yaw is positive if it looks to the
 * right of the image, pitch if it looks up, roll if it leans clockwise.
 */
export type Pose = { yaw: number; pitch: number; roll: number };
