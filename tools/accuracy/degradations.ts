import { mulberry32 } from "@faceline/inference/testing/mulberry32";
import type { Box } from "@faceline/inference/geometry/box";
import type { Pixels } from "@faceline/inference/geometry/pixels";
import { samplePicture, samplePictureNames } from "@faceline/inference/testing/photographs";
import sharp, { type Sharp } from "sharp";
import { frameFace, sizeFor, tightCrop } from "./framing.ts";

const tightShare = 0.9;
const farShare = 0.07;
const farFrame = { width: 1_600, height: 1_200 };
const rollDegrees = 30;
const blur = { boxWidthPx: 100, sigmaPx: 2 };
const jpegQuality = 10;
const darkFactor = 0.25;
const noiseDeviation = 20;
/** The face of the other person is then about half as wide. */
const besideShare = 1.2;
/** Nobody of the labelled photographs: a person who does not exist. */
const stranger = samplePictureNames[0]!;
const black = "#000000";

/**
 * Degradations of a picture whose face box is known. Each is deterministic. deploy's accuracy benchmark uses
 * them.
 */
export const degradations: readonly Degradation[] = [
  {
    name: "tight",
    how: `cut to ${tightShare} of the face's box each way`,
    apply: (picture, box) => png(open(picture).extract(tightCrop(box, tightShare, picture))),
  },
  {
    name: "far",
    how: `shrunk, so that the face's box is ${farShare} as wide as a frame of ${farFrame.width} × ${farFrame.height}, whose rest repeats the picture's rim`,
    async apply(picture, box) {
      const { cut, size, margins } = frameFace(box, farShare, farFrame, picture);
      const shrunk = open(picture)
        .extract(cut)
        .resize({ ...size, fit: "fill" });
      return png(shrunk.extend({ ...margins, extendWith: "copy" }));
    },
  },
  {
    name: "roll",
    how: `turned by ${rollDegrees} degrees, black beside it`,
    apply: (picture) => png(open(picture).rotate(rollDegrees, { background: black })),
  },
  {
    name: "blur",
    how: `resized until the face's box is ${blur.boxWidthPx} pixels wide, then blurred with sigma ${blur.sigmaPx}`,
    async apply(picture, box) {
      const size = sizeFor(box, blur.boxWidthPx, picture);
      return png(
        open(picture)
          .resize({ ...size, fit: "fill" })
          .blur(blur.sigmaPx),
      );
    },
  },
  {
    name: "jpeg",
    how: `JPEG of quality ${jpegQuality}`,
    apply: (picture) => open(picture).jpeg({ quality: jpegQuality }).toBuffer(),
  },
  {
    name: "dark",
    how: `values times ${darkFactor}`,
    apply: (picture) => png(open(picture).linear(darkFactor)),
  },
  {
    name: "noise",
    how: `Gaussian noise of standard deviation ${noiseDeviation} on every value`,
    apply: (picture) => png(open({ ...picture, pixels: withNoise(picture.pixels, noiseDeviation) })),
  },
  {
    name: "beside",
    how: `another person on the right, in a picture ${besideShare} times as wide as the face's box`,
    async apply(picture, box) {
      const width = Math.round(besideShare * (box.right - box.left));
      const resized = sharp(samplePicture(stranger)).resize({ width, height: picture.height, fit: "inside" });
      const input = await png(resized);
      const beside = open(picture).extend({ right: width, background: black });
      return png(beside.composite([{ input, left: picture.width, top: 0 }]));
    },
  },
];

function open({ pixels, width, height }: Pixels): Sharp {
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

/** Lossless; its size does not matter. */
function png(picture: Sharp): Promise<Buffer> {
  return picture.png({ compressionLevel: 1 }).toBuffer();
}

type Degradation = {
  name: string;
  /** Its effect, as a clause. */
  how: string;
  apply(picture: Pixels, box: Box): Promise<Buffer>;
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
