import type { Pixels } from "../detect/letterbox.ts";
import type { Network } from "../engine/network.ts";
import { type Affine, apply, type Point, type Rectangle } from "./affine.ts";
import { type Crop, cropOf, uprightCropOf } from "./crop.ts";
import { chipPoints, fittedOf } from "./mean-face.ts";
import { fitSimilarity, residualOf } from "./similarity.ts";
import type { Warp } from "./warp.ts";

/**
 * Finds the landmarks of faces, and with them how each face's chip lies in its picture.
 *
 * Each face is looked at twice: in the detector's box, and then upright and in the middle, as the first look tells. What
 * the box was like hardly shows any more, so a face found in small gives nearly the embedding that it gives in full.
 *
 * The network knows upright faces. For one that leans far or lies it invents an upright one, which shows in the
 * residual; so such a face is tried in the other quarters before its second look. Never others: the least of four
 * residuals is not always the right one.
 */
export class Aligner {
  readonly #network: Network;
  readonly #warp: Warp;

  constructor(network: Network, warp: Warp) {
    this.#network = network;
    this.#warp = warp;
  }

  async align(faces: readonly BoxedFace[]): Promise<Alignment[]> {
    const px = this.#network.px;
    const first = await this.#fit(faces.map(({ picture, box }) => ({ picture, crop: cropOf(box, 0, px) })));
    await this.#turn(faces, first);
    const second = await this.#fit(
      faces.map(({ picture }, i) => ({ picture, crop: uprightCropOf(first[i]!.map, picture, px) })),
    );
    return second.map((upright, i) => {
      const { turned } = first[i]!;
      return { ...(upright.residualPx <= FACE_RESIDUAL_PX ? upright : nearer(first[i]!, upright)), turned };
    });
  }

  /** In place of what fits no face, the best of the other quarters. */
  async #turn(faces: readonly BoxedFace[], alignments: Alignment[]): Promise<void> {
    const suspects = [...faces.keys()].filter((i) => alignments[i]!.residualPx > FACE_RESIDUAL_PX);
    const quarters = await this.#fit(
      suspects.flatMap((i) => {
        const { picture, box } = faces[i]!;
        return QUARTERS.map((quarter) => ({ picture, crop: cropOf(box, quarter, this.#network.px) }));
      }),
    );
    for (const [at, i] of suspects.entries()) {
      const own = quarters.slice(QUARTERS.length * at, QUARTERS.length * (at + 1));
      alignments[i] = { ...own.reduce(nearer, alignments[i]!), turned: true };
    }
  }

  async #fit(crops: readonly { picture: Pixels; crop: Crop }[]): Promise<Alignment[]> {
    const alignments: Alignment[] = [];
    await this.#network.run(crops.length, {
      write: (i, row) => {
        const { picture, crop } = crops[i]!;
        this.#warp.draw(picture, crop.map, crop.within, row, this.#network.px);
      },
      read: (i, output) => {
        const landmarks = pointsOf(output("points"), crops[i]!.crop.map, this.#network.px);
        const fitted = fittedOf(landmarks);
        const map = fitSimilarity(chipPoints, fitted);
        alignments[i] = { map, landmarks, residualPx: residualOf(map, chipPoints, fitted), turned: false };
      },
    });
    return alignments;
  }
}

/** From parts of the crop to pixels of the picture. */
function pointsOf(numbers: Float32Array, map: Affine, px: number): Point[] {
  return Array.from({ length: numbers.length / 2 }, (_, i) =>
    apply(map, { x: numbers[2 * i]! * px, y: numbers[2 * i + 1]! * px }),
  );
}

function nearer(a: Alignment, b: Alignment): Alignment {
  return b.residualPx < a.residualPx ? b : a;
}

/** Upright faces stay below 4.7; those that lean by 30 degrees too. */
const FACE_RESIDUAL_PX = 5;
const QUARTERS = [1, 2, 3];

export type BoxedFace = { picture: Pixels; box: Rectangle };

export type Alignment = {
  /** Chip → picture. */
  map: Affine;
  /** All 68, in the picture. */
  landmarks: Point[];
  /** How far the landmarks are from the mean face, in pixels of the chip: what tells a face from a wrong box. */
  residualPx: number;
  turned: boolean;
};
