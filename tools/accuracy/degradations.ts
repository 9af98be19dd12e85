import type { Face } from "@faceline/contracts/wire/face";
import type { Pixels } from "@faceline/inference/geometry/pixels";
import { mulberry32 } from "@faceline/contracts/testing/mulberry32";
import sharp, { type Sharp } from "sharp";
import { withGlasses, withMask } from "./drawn-covers.ts";
import { sizeFor } from "./framing.ts";

const blur = { boxWidthPx: 100, sigmaPx: 3 };
const jpegQuality = 30;
const lowLight = { factor: 0.25, noiseDeviation: 4 };

/** Degradations of an image whose face is known. Each is deterministic. */
export const degradations: readonly Degradation[] = [
  smaller(32),
  smaller(24),
  {
    name: "blur",
    how: `face resized to ${blur.boxWidthPx} pixels, then blurred with sigma ${blur.sigmaPx}`,
    apply: (image, face) => pixelsOf(resized(image, face, blur.boxWidthPx).blur(blur.sigmaPx)),
  },
  {
    name: "mask",
    how: "mask drawn from the nose to the chin",
    apply: async (image, face) => withMask(image, face),
  },
  {
    name: "dark glasses",
    how: "dark glasses drawn",
    apply: async (image, face) => withGlasses(image, face),
  },
  {
    name: "JPEG",
    how: `JPEG of quality ${jpegQuality}`,
    apply: async (image) => pixelsOf(sharp(await open(image).jpeg({ quality: jpegQuality }).toBuffer())),
  },
  {
    name: "low light",
    how: `values times ${lowLight.factor}, then noise of standard deviation ${lowLight.noiseDeviation}`,
    async apply(image) {
      const dark = await pixelsOf(open(image).linear(lowLight.factor));
      return { ...dark, pixels: withNoise(dark.pixels, lowLight.noiseDeviation) };
    },
  },
];

function smaller(widthPx: number): Degradation {
  return {
    name: `face of ${widthPx} px`,
    how: `face resized to ${widthPx} pixels`,
    apply: (image, face) => pixelsOf(resized(image, face, widthPx)),
  };
}

/** The image at the size at which the face's box has this width. */
function resized(image: Pixels, { x, y, w, h }: Face["area"], widthPx: number): Sharp {
  const size = sizeFor({ left: x, top: y, right: x + w, bottom: y + h }, widthPx, image);
  return open(image).resize({ ...size, fit: "fill" });
}

function open({ pixels, width, height }: Pixels): Sharp {
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

async function pixelsOf(image: Sharp): Promise<Pixels> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { pixels: data, width: info.width, height: info.height };
}

type Degradation = {
  name: string;
  /** Its effect, as a clause. */
  how: string;
  /** `face`: in pixels of the image. */
  apply(image: Pixels, face: Face["area"]): Promise<Pixels>;
};

/** Adds Gaussian noise to every value, the same every time. Values are clamped to 0 to 255. */
export function withNoise(values: Uint8Array, deviation: number): Uint8Array {
  const next = mulberry32(values.length);
  // Rounds and clamps.
  const noisy = new Uint8ClampedArray(values.length);
  for (let i = 0; i < values.length; i += 2) {
    // Box-Muller transform: two independent numbers at a time.
    const radius = deviation * Math.sqrt(-2 * Math.log(1 - next()));
    const angle = 2 * Math.PI * next();
    noisy[i] = values[i]! + radius * Math.cos(angle);
    if (i + 1 < values.length) noisy[i + 1] = values[i + 1]! + radius * Math.sin(angle);
  }
  return new Uint8Array(noisy.buffer);
}
