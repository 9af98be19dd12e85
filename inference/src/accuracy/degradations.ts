import sharp, { type Sharp } from "sharp";
import type { Rectangle } from "../align/affine.ts";
import type { Pixels } from "../detect/letterbox.ts";
import { framingOf, sizeFor, tightCropOf } from "./framing.ts";
import { withNoise } from "./noise.ts";

const TIGHT_SHARE = 0.9;
const FAR_SHARE = 0.07;
const FRAME = { width: 1_600, height: 1_200 };
const ROLL_DEGREES = 30;
const BLUR = { boxWidthPx: 100, sigmaPx: 2 };
const JPEG_QUALITY = 10;
const DARK_FACTOR = 0.25;
const NOISE_SD = 20;
const BLACK = "#000000";

/** What happens to pictures: each makes a worse file of one in which the face's box is known. The same every time. */
export const degradations: readonly Degradation[] = [
  {
    name: "tight",
    how: `cut to ${TIGHT_SHARE} of the face's box each way`,
    of: (picture, box) => png(open(picture).extract(tightCropOf(box, TIGHT_SHARE, picture))),
  },
  {
    name: "far",
    how: `shrunk, so that the face's box is ${FAR_SHARE} as wide as a frame of ${FRAME.width} × ${FRAME.height}, whose rest repeats the picture's rim`,
    async of(picture, box) {
      const { cut, size, margins } = framingOf(box, FAR_SHARE, FRAME, picture);
      const shrunk = open(picture)
        .extract(cut)
        .resize({ ...size, fit: "fill" });
      return png(shrunk.extend({ ...margins, extendWith: "copy" }));
    },
  },
  {
    name: "roll",
    how: `turned by ${ROLL_DEGREES} degrees, black beside it`,
    of: (picture) => png(open(picture).rotate(ROLL_DEGREES, { background: BLACK })),
  },
  {
    name: "blur",
    how: `resized until the face's box is ${BLUR.boxWidthPx} pixels wide, then blurred with sigma ${BLUR.sigmaPx}`,
    async of(picture, box) {
      const size = sizeFor(box, BLUR.boxWidthPx, picture);
      return png(
        open(picture)
          .resize({ ...size, fit: "fill" })
          .blur(BLUR.sigmaPx),
      );
    },
  },
  {
    name: "jpeg",
    how: `JPEG of quality ${JPEG_QUALITY}`,
    of: (picture) => open(picture).jpeg({ quality: JPEG_QUALITY }).toBuffer(),
  },
  {
    name: "dark",
    how: `values times ${DARK_FACTOR}`,
    of: (picture) => png(open(picture).linear(DARK_FACTOR)),
  },
  {
    name: "noise",
    how: `Gaussian noise of standard deviation ${NOISE_SD} on every value`,
    of: (picture) => png(open({ ...picture, pixels: withNoise(picture.pixels, NOISE_SD) })),
  },
];

function open({ pixels, width, height }: Pixels): Sharp {
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

/** Without loss; how small it gets does not matter. */
function png(picture: Sharp): Promise<Buffer> {
  return picture.png({ compressionLevel: 1 }).toBuffer();
}

export type Degradation = {
  name: string;
  /** As a clause. */
  how: string;
  of(picture: Pixels, box: Rectangle): Promise<Buffer>;
};
