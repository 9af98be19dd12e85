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
 * The network knows upright faces. For one that leans far or lies it invents an upright one, which shows in the
 * residual; so such a face is tried in the other quarters, and once more upright, by the best of them. Never for others:
 * the least of four residuals is not always the right one.
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
    const alignments = await this.#fit(
      faces.map(({ picture, box }) => ({ picture, crop: cropOf(box, 0, px) })),
    );
    const suspects = [...faces.keys()].filter((i) => alignments[i]!.residualPx > TURN_RESIDUAL_PX);
    if (suspects.length === 0) return alignments;

    const turned = await this.#fit(
      suspects.flatMap((i) => {
        const { picture, box } = faces[i]!;
        return QUARTERS.map((quarter) => ({ picture, crop: cropOf(box, quarter, px) }));
      }),
    );
    const best = suspects.map((i, at) => {
      const own = turned.slice(QUARTERS.length * at, QUARTERS.length * (at + 1));
      return own.reduce(nearer, alignments[i]!);
    });
    const upright = await this.#fit(
      suspects.map((i, at) => {
        const { picture } = faces[i]!;
        return { picture, crop: uprightCropOf(best[at]!.map, picture, px) };
      }),
    );
    for (const [at, i] of suspects.entries()) {
      alignments[i] = { ...nearer(best[at]!, upright[at]!), turned: true };
    }
    return alignments;
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
const TURN_RESIDUAL_PX = 5;
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
