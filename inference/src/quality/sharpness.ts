/**
 * How much of the fine structure of a face a further blur would take away, from 0 to 1: much of a sharp one,
 * little of one that is blurred already. It is one less the blur metric of Crete et al. ("The blur effect",
 * 2007), which is a ratio, so that contrast and brightness do not change it. The worse of the two directions
 * counts, for motion blurs in one.
 *
 * `pixels` are the indices of the pixels that count. They and `sharpnessReachPx` pixels around them must be
 * in the square.
 */
export function sharpnessOf({ luminance, px }: LuminanceSquare, pixels: Iterable<number>): number {
  let [across, acrossLost, down, downLost] = [0, 0, 0, 0];
  for (const i of pixels) {
    const stepAcross = Math.abs(luminance[i]! - luminance[i - 1]!);
    const stepDown = Math.abs(luminance[i]! - luminance[i - px]!);
    // The same steps in means of nine pixels: all but the two outermost cancel out.
    const blurredAcross = Math.abs(luminance[i + 4]! - luminance[i - 5]!) / 9;
    const blurredDown = Math.abs(luminance[i + 4 * px]! - luminance[i - 5 * px]!) / 9;
    across += stepAcross;
    down += stepDown;
    acrossLost += Math.max(0, stepAcross - blurredAcross);
    downLost += Math.max(0, stepDown - blurredDown);
  }
  // A plain area has no structure to be sharp.
  return across === 0 || down === 0 ? 0 : Math.min(acrossLost / across, downLost / down);
}

/** How far from a pixel `sharpnessOf` reads in a square that `smoothedLuminance` has written. */
export const sharpnessReachPx = 6;

/**
 * Writes the luminance (Rec. 601, 0 to 255) of a square of RGB pixels into `target`, each pixel the mean of
 * its surroundings with the weights 1, 2, 1 in both directions: noise would count as fine structure. The
 * outermost pixels stay as they are.
 */
export function smoothedLuminance(rgb: Uint8Array, { luminance, px }: LuminanceSquare, rows: Float32Array) {
  for (let i = 0; i < px * px; i++)
    luminance[i] = 0.299 * rgb[3 * i]! + 0.587 * rgb[3 * i + 1]! + 0.114 * rgb[3 * i + 2]!;
  for (let i = 1; i < px * px - 1; i++)
    rows[i] = (luminance[i - 1]! + 2 * luminance[i]! + luminance[i + 1]!) / 4;
  for (let i = px + 1; i < px * (px - 1) - 1; i++)
    luminance[i] = (rows[i - px]! + 2 * rows[i]! + rows[i + px]!) / 4;
}

/** Luminance of a square of `px` pixels, row by row. */
type LuminanceSquare = { luminance: Float32Array; px: number };
