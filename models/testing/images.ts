import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { mulberry32 } from "@faceline/contracts/testing/mulberry32";

/** Images for tests: px by px pixels, RGB, three bytes a pixel. */

/** Noise, the same for the same seed. */
export function noise(px: number, seed: number): Uint8Array {
  const next = mulberry32(seed);
  return Uint8Array.from({ length: px * px * 3 }, () => Math.floor(256 * next()));
}

/**
 * face-api's sample photographs, or undefined where sharp, which this package does not ask for, is absent.
 */
export function openSamples(): Samples | undefined {
  const require = createRequire(import.meta.url);
  let sharp: Sharp;
  try {
    sharp = require("sharp");
  } catch {
    return undefined;
  }
  const folder = join(dirname(require.resolve("@vladmandic/face-api/package.json")), "demo");
  const open = (sample: number): SharpImage => sharp(join(folder, `sample${sample}.jpg`)).removeAlpha();
  const black = { r: 0, g: 0, b: 0 };

  return {
    whole: (sample, px) =>
      open(sample)
        .resize(px, px, { fit: "contain", position: "left top", background: black })
        .raw()
        .toBuffer(),
    crop: async (sample, [ymin, xmin, ymax, xmax], px) => {
      const { width = 0, height = 0 } = await open(sample).metadata();
      const side = Math.max(width, height);
      const left = Math.max(0, Math.floor(xmin * side));
      const top = Math.max(0, Math.floor(ymin * side));
      const right = Math.min(width, Math.ceil(xmax * side));
      const bottom = Math.min(height, Math.ceil(ymax * side));
      const cut = open(sample).extract({ left, top, width: right - left, height: bottom - top });
      return cut.resize(px, px, { fit: "contain", background: black }).raw().toBuffer();
    },
  };
}

/** How many sample photographs there are, counted from 1. */
export const samplesCount = 6;

type Samples = {
  /** The photograph in the top left corner of a black square. */
  whole(sample: number, px: number): Promise<Uint8Array>;
  /** The box [ymin, xmin, ymax, xmax] of that square, clipped to the photograph. */
  crop(sample: number, box: readonly [number, number, number, number], px: number): Promise<Uint8Array>;
};

type Sharp = (path: string) => SharpImage;
type SharpImage = {
  removeAlpha(): SharpImage;
  metadata(): Promise<{ width?: number; height?: number }>;
  extract(area: { left: number; top: number; width: number; height: number }): SharpImage;
  resize(width: number, height: number, options: object): SharpImage;
  raw(): SharpImage;
  toBuffer(): Promise<Uint8Array>;
};
