import type { Point } from "./affine.ts";

/** The side of a face chip, and how much of the mean face's width lies round it: what the network was trained with. */
const CHIP_PX = 150;
const PADDING = 0.25;

/**
 * dlib's mean face, points 17 to 67 of iBUG 300-W, in the unit square (facts from dlib's image_transforms/interpolation.h).
 */
// biome-ignore format: 51 numbers
const X = [
  0.000213256, 0.0752622, 0.18113, 0.29077, 0.393397, 0.586856, 0.689483, 0.799124, 0.904991, 0.98004, 0.490127,
  0.490127, 0.490127, 0.490127, 0.36688, 0.426036, 0.490127, 0.554217, 0.613373, 0.121737, 0.187122, 0.265825,
  0.334606, 0.260918, 0.182743, 0.645647, 0.714428, 0.793132, 0.858516, 0.79751, 0.719335, 0.254149, 0.340985,
  0.428858, 0.490127, 0.551395, 0.639268, 0.726104, 0.642159, 0.556721, 0.490127, 0.423532, 0.338094, 0.290379,
  0.428096, 0.490127, 0.552157, 0.689874, 0.553364, 0.490127, 0.42689,
];
// biome-ignore format: 51 numbers
const Y = [
  0.106454, 0.038915, 0.0187482, 0.0344891, 0.0773906, 0.0773906, 0.0344891, 0.0187482, 0.038915, 0.106454, 0.203352,
  0.307009, 0.409805, 0.515625, 0.587326, 0.609345, 0.628106, 0.609345, 0.587326, 0.216423, 0.178758, 0.179852,
  0.231733, 0.245099, 0.244077, 0.231733, 0.179852, 0.178758, 0.216423, 0.244077, 0.245099, 0.780233, 0.745405,
  0.727388, 0.742578, 0.727388, 0.745405, 0.780233, 0.864805, 0.902192, 0.909281, 0.902192, 0.864805, 0.784792,
  0.778746, 0.785343, 0.778746, 0.784792, 0.824182, 0.831803, 0.824182,
];
const FIRST = 17;

/** Nose, eyes and the upper part of the mouth: the brows and the lower lip move with the expression. */
const FITTED = [...range(27, 54), ...range(60, 64)];

/** Where the fitted points lie in a chip, in pixels. */
export const chipPoints: readonly Point[] = FITTED.map((landmark) => ({
  x: ((PADDING + X[landmark - FIRST]!) / (2 * PADDING + 1)) * CHIP_PX,
  y: ((PADDING + Y[landmark - FIRST]!) / (2 * PADDING + 1)) * CHIP_PX,
}));

/** The points of a face's 68 that are held against `chipPoints`, in the same order. */
export function fittedOf(landmarks: readonly Point[]): Point[] {
  return FITTED.map((landmark) => landmarks[landmark]!);
}

/**
 * The six points of each eye. The eye on the image's left is the person's right one: iBUG counts as the viewer sees,
 * the API as the person does.
 */
export const rightEye = range(36, 41);
export const leftEye = range(42, 47);

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
