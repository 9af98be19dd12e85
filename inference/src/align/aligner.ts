import { type Affine, apply, type Point } from "../geometry/affine.ts";
import type { Box } from "../geometry/box.ts";
import type { Pixels } from "../geometry/pixels.ts";
import { fitSimilarity, residualOf } from "../geometry/similarity.ts";
import type { Warp } from "../geometry/warp.ts";
import type { Network, NetworkUsage } from "../network/network.ts";
import { boxCrop, type Crop, uprightCrop } from "./crop.ts";
import { type AlignmentTemplate, type Eyes, eyesOf, fittedLandmarks } from "./templates.ts";

/**
 * Finds the landmarks of faces and fits them to the template of the landmark scheme, which gives the face
 * chip.
 *
 * Each face runs twice: in the detector's box, and then upright and centred as the first fit says. After the
 * second run the box hardly matters, so a face found at low resolution gets nearly the embedding that full
 * resolution gives.
 *
 * The network expects upright faces. For one that leans far or lies it invents an upright one, which shows in
 * the residual of the fit. Such a face is tried in the other three quarter turns before its second run, and
 * other faces never are: the least of four residuals is not always the right one. lanes.test.ts
 * covers it with real faces, model-seam.test.ts with other landmarks.
 */
export class Aligner {
  readonly #network: Network;
  readonly #warp: Warp;
  readonly #template: AlignmentTemplate;

  constructor(network: Network, warp: Warp, template: AlignmentTemplate) {
    this.#network = network;
    this.#warp = warp;
    this.#template = template;
  }

  /** The side of the chip that alignments map from. */
  get chipPx(): number {
    return this.#template.chipPx;
  }

  /** One alignment for each face, in their order. */
  async align(
    faces: readonly BoxedFace[],
  ): Promise<{ alignments: Alignment[]; networkUsage: NetworkUsage[] }> {
    const px = this.#network.px;
    const { uprightResidualMaxPx } = this.#template;
    const boxed = await this.#fit(faces.map(({ picture, box }) => ({ picture, crop: boxCrop(box, 0, px) })));
    const first = boxed.alignments;
    const quarters = await this.#tryQuarterTurns(faces, first);
    const upright = await this.#fit(
      faces.map(({ picture }, i) => ({
        picture,
        crop: uprightCrop(first[i]!.chipToPicture, this.#template, picture, px),
      })),
    );
    const alignments = upright.alignments.map((second, i) => {
      const best = second.residualPx <= uprightResidualMaxPx ? second : betterFit(first[i]!, second);
      return { ...best, quarterTurnsTried: first[i]!.quarterTurnsTried };
    });
    return { alignments, networkUsage: [boxed.usage, quarters, upright.usage] };
  }

  /**
   * Replaces each fit that is no upright face by the best of the other quarter turns, where one is better.
   */
  async #tryQuarterTurns(faces: readonly BoxedFace[], alignments: Alignment[]): Promise<NetworkUsage> {
    const { uprightResidualMaxPx } = this.#template;
    const suspects = [...faces.keys()].filter((i) => alignments[i]!.residualPx > uprightResidualMaxPx);
    const { alignments: turned, usage } = await this.#fit(
      suspects.flatMap((i) => {
        const { picture, box } = faces[i]!;
        return quarterTurns.map((turns) => ({ picture, crop: boxCrop(box, turns, this.#network.px) }));
      }),
    );
    for (const [position, i] of suspects.entries()) {
      const own = turned.slice(quarterTurns.length * position, quarterTurns.length * (position + 1));
      alignments[i] = { ...own.reduce(betterFit, alignments[i]!), quarterTurnsTried: true };
    }
    return usage;
  }

  async #fit(
    crops: readonly { picture: Pixels; crop: Crop }[],
  ): Promise<{ alignments: Alignment[]; usage: NetworkUsage }> {
    const template = this.#template;
    const px = this.#network.px;
    const alignments: Alignment[] = [];
    const usage = await this.#network.run(crops.length, {
      write: (i, row) => {
        const { picture, crop } = crops[i]!;
        this.#warp.draw(picture, crop.cropToPicture, crop.within, row, px);
      },
      read: (i, output) => {
        const landmarks = landmarksInPicture(output("points"), crops[i]!.crop.cropToPicture, px);
        const fitted = fittedLandmarks(landmarks, template);
        const chipToPicture = fitSimilarity(template.points, fitted);
        alignments[i] = {
          chipToPicture,
          eyes: eyesOf(landmarks, template),
          residualPx: residualOf(chipToPicture, template.points, fitted),
          quarterTurnsTried: false,
        };
      },
    });
    return { alignments, usage };
  }
}

/** `numbers` are pairs x, y in the unit square of the crop. */
function landmarksInPicture(numbers: Float32Array, cropToPicture: Affine, px: number): Point[] {
  return Array.from({ length: numbers.length / 2 }, (_, i) =>
    apply(cropToPicture, { x: numbers[2 * i]! * px, y: numbers[2 * i + 1]! * px }),
  );
}

function betterFit(a: Alignment, b: Alignment): Alignment {
  return b.residualPx < a.residualPx ? b : a;
}

const quarterTurns = [1, 2, 3];

type BoxedFace = { picture: Pixels; box: Box };

export type Alignment = {
  chipToPicture: Affine;
  /** In pixels of the picture. */
  eyes: Eyes;
  /**
   * Root mean square distance of the landmarks from the template, in pixels of the chip: large for a box
   * without a face.
   */
  residualPx: number;
  quarterTurnsTried: boolean;
};
