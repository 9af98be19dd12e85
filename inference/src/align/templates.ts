import type { LandmarkScheme } from "@faceline/models/catalogue-entry";
import type { Point } from "../geometry/affine.ts";
import { meanOf } from "../geometry/similarity.ts";

/**
 * Description of a landmark scheme for the aligner: where landmarks lie in an aligned face chip, and which
 * of them are the eyes. A landmark model with another scheme needs one more entry in `alignmentTemplates`,
 * and no other code.
 */
export type AlignmentTemplate = {
  /**
   * Side of the chip in which positions and residuals are given. An embedding network may use another side.
   */
  chipPx: number;
  /** Landmarks that are fitted, by their index in the scheme. */
  fitted: readonly number[];
  /** Positions of the fitted landmarks in the chip, in pixels, in the same order. */
  points: readonly Point[];
  /** Indices of the landmarks of each eye. Left and right are the person's own. */
  rightEye: readonly number[];
  leftEye: readonly number[];
  /**
   * Maximum drift of the landmarks of a face, in pixels of the chip: from the detector's box to the upright
   * view, and from the best of four quarter turns to the tilted views.
   */
  driftMaxPx: { upright: number; turned: number };
  /** Root mean square distance from the template up to which landmarks are a face, in pixels of the chip. */
  residualMaxPx: number;
  /** The mean square of a detector's box in the chip of an upright face, over photographs. */
  detectorSquare: { centre: Point; sidePx: number };
  /**
   * Fitted landmarks that show how the head is turned: by their index, how far each is in front of the
   * others, in distances between the eyes.
   */
  depths: Readonly<Record<number, number>>;
  /** The pitch that is estimated if people look into the camera, in degrees. */
  facingPitch: number;
};

/** The landmarks that are fitted to the template, in the order of its points. */
export function fittedLandmarks(landmarks: readonly Point[], { fitted }: AlignmentTemplate): Point[] {
  return fitted.map((landmark) => landmarks[landmark]!);
}

/** The points of the template, each under the landmark that it stands for. */
export function pointsByLandmark({ fitted, points }: AlignmentTemplate): Point[] {
  const byLandmark: Point[] = [];
  for (const [i, landmark] of fitted.entries()) byLandmark[landmark] = points[i]!;
  return byLandmark;
}

/** The centre of each eye, in the coordinates of the landmarks. Left and right are the person's own. */
export function eyesOf(landmarks: readonly Point[], { leftEye, rightEye }: AlignmentTemplate): Eyes {
  return {
    left: meanOf(leftEye.map((i) => landmarks[i]!)),
    right: meanOf(rightEye.map((i) => landmarks[i]!)),
  };
}

export type Eyes = { left: Point; right: Point };

/**
 * dlib's mean face, landmarks 17 to 67 of iBUG 300-W, in the unit square (usage from dlib's
 * image_transforms/interpolation.h).
 */
// biome-ignore format: 51 numbers
const meanFaceX = [
  0.000213256, 0.0752622, 0.18113, 0.29077, 0.393397, 0.586856, 0.689483, 0.799124, 0.904991, 0.98004, 0.490127,
  0.490127, 0.490127, 0.490127, 0.36688, 0.426036, 0.490127, 0.554217, 0.613373, 0.121737, 0.187122, 0.265825,
  0.334606, 0.260918, 0.182743, 0.645647, 0.714428, 0.793132, 0.858516, 0.79751, 0.719335, 0.254149, 0.340985,
  0.428858, 0.490127, 0.551395, 0.639268, 0.726104, 0.642159, 0.556721, 0.490127, 0.423532, 0.338094, 0.290379,
  0.428096, 0.490127, 0.552157, 0.689874, 0.553364, 0.490127, 0.42689,
];
// biome-ignore format: 51 numbers
const meanFaceY = [
  0.106454, 0.038915, 0.0187482, 0.0344891, 0.0773906, 0.0773906, 0.0344891, 0.0187482, 0.038915, 0.106454, 0.203352,
  0.307009, 0.409805, 0.515625, 0.587326, 0.609345, 0.628106, 0.609345, 0.587326, 0.216423, 0.178758, 0.179852,
  0.231733, 0.245099, 0.244077, 0.231733, 0.179852, 0.178758, 0.216423, 0.244077, 0.245099, 0.780233, 0.745405,
  0.727388, 0.742578, 0.727388, 0.745405, 0.780233, 0.864805, 0.902192, 0.909281, 0.902192, 0.864805, 0.784792,
  0.778746, 0.785343, 0.778746, 0.784792, 0.824182, 0.831803, 0.824182,
];
const meanFaceFirst = 17;

/** dlib's chip: its side, and the padding around the mean face as a share of the mean face's width. */
const dlibChip = { px: 150, padding: 0.25 };

/**
 * Depths of the corners of the eyes, the nose and the corners of the mouth in MediaPipe's canonical face
 * model (canonical_face_model.obj, Apache-2.0), over its distance between the eyes of 6.3.
 */
// biome-ignore format: by the part of the face
const meanDepths = {
  27: 0.92, 28: 1.03, 29: 1.16, 30: 1.19,
  31: 0.83, 32: 0.93, 33: 0.96, 34: 0.93, 35: 0.83,
  36: 0.5, 39: 0.6, 42: 0.6, 45: 0.5,
  48: 0.68, 54: 0.68,
};

/** Nose, eyes and the upper part of the mouth. Brows and lower lip move too much with the expression. */
const rigid = [...range(27, 54), ...range(60, 64)];

export const alignmentTemplates: Readonly<Record<LandmarkScheme, AlignmentTemplate>> = {
  /** 68 landmarks as iBUG 300-W numbers them, fitted to dlib's chip. */
  ibug_68: {
    chipPx: dlibChip.px,
    fitted: rigid,
    points: rigid.map((landmark) => ({
      x: inDlibChip(meanFaceX[landmark - meanFaceFirst]!),
      y: inDlibChip(meanFaceY[landmark - meanFaceFirst]!),
    })),
    // The eye on the image's left is the person's right one.
    rightEye: range(36, 41),
    leftEye: range(42, 47),
    driftMaxPx: { upright: 6, turned: 12 },
    residualMaxPx: 10,
    detectorSquare: { centre: { x: 73, y: 67 }, sidePx: 149 },
    depths: meanDepths,
    facingPitch: -11,
  },
  /**
   * Right eye, left eye, tip of the nose, right and left corner of the mouth, fitted to the chip of 112 px
   * that networks of the ArcFace family are trained with (positions from insightface's face_align.py). No
   * model of the catalogue uses it yet: the last two numbers are those of ibug_68, scaled by the distance
   * between the eyes; they are not measured.
   */
  five_point: {
    chipPx: 112,
    fitted: range(0, 4),
    points: [
      { x: 38.2946, y: 51.6963 },
      { x: 73.5318, y: 51.5014 },
      { x: 56.0252, y: 71.7366 },
      { x: 41.5493, y: 92.3655 },
      { x: 70.7299, y: 92.2041 },
    ],
    rightEye: [0],
    leftEye: [1],
    driftMaxPx: { upright: 4, turned: 8 },
    residualMaxPx: 6,
    detectorSquare: { centre: { x: 55, y: 65 }, sidePx: 98 },
    depths: { 0: 0.55, 1: 0.55, 2: 1.19, 3: 0.68, 4: 0.68 },
    facingPitch: 0,
  },
};

function inDlibChip(unit: number): number {
  return ((dlibChip.padding + unit) / (2 * dlibChip.padding + 1)) * dlibChip.px;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
