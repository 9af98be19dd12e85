import { type Affine, apply, type Point } from "../geometry/affine.ts";
import type { Box } from "../geometry/box.ts";
import type { Pixels } from "../geometry/pixels.ts";
import { fitSimilarity, residualOf } from "../geometry/similarity.ts";
import type { Warp } from "../geometry/warp.ts";
import type { Network, NetworkUsage } from "../network/network.ts";
import { boxCrop, type Crop, leaningCrop, uprightCrop } from "./crop.ts";
import { driftBetween } from "./drift.ts";
import { type AlignmentTemplate, type Eyes, eyesOf, fittedLandmarks } from "./templates.ts";

/**
 * Finds the landmarks of faces and fits them to the template of the landmark scheme, which gives the face
 * chip.
 *
 * Each face runs twice: in the detector's box, and then upright and centred as the first fit says. After the
 * second run the box hardly matters, so a face found at low resolution gets nearly the embedding that full
 * resolution gives.
 *
 * The network expects upright faces, and invents one where it sees none. Landmarks that it has seen stay in
 * their place when the view moves; invented ones move with the view. The residual of the fit does not tell
 * them apart: the face of a stretched picture fits worse than many an invented one. So if the landmarks drift
 * between the two runs, the face runs in all four quarter turns and, from each, in a view that leans. The
 * turn with the least drift is taken, unless even that is too much for a face.
 *
 * lanes.test.ts covers it with real faces, model-seam.test.ts with other landmarks.
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
    const { driftMaxPx } = this.#template;
    const networkUsage: NetworkUsage[] = [];
    const upright = await this.#fitTwice(
      faces.map((face) => ({ ...face, quarterTurns: 0 })),
      networkUsage,
    );
    const unsteady = [...faces.keys()].filter((i) => !(upright[i]!.driftPx <= driftMaxPx.upright));
    const steadiest = await this.#steadiestTurns(
      unsteady.map((i) => ({ face: faces[i]!, upright: upright[i]! })),
      networkUsage,
    );
    const alignments = upright.map((fit) => this.#alignment(fit, { driftMaxPx: driftMaxPx.upright }));
    for (const [position, i] of unsteady.entries()) {
      const fit = steadiest[position]!;
      alignments[i] = {
        ...this.#alignment(fit, { driftMaxPx: driftMaxPx.leaning }),
        quarterTurnsTried: true,
      };
    }
    return { alignments, networkUsage };
  }

  /** Of the four quarter turns of each face, the fit that drifts least when the view leans. */
  async #steadiestTurns(
    faces: readonly { face: BoxedFace; upright: Fit }[],
    networkUsage: NetworkUsage[],
  ): Promise<SettledFit[]> {
    const turned = await this.#fitTwice(
      faces.flatMap(({ face }) => [1, 2, 3].map((quarterTurns) => ({ ...face, quarterTurns }))),
      networkUsage,
    );
    const candidates = faces.flatMap(({ face, upright }, i) =>
      [upright, ...turned.slice(3 * i, 3 * i + 3)].map((fit) => ({ picture: face.picture, fit })),
    );
    const leaning = await this.#fit(
      candidates.map(({ picture, fit }) => ({
        picture,
        crop: leaningCrop(fit.chipToPicture, this.#template, picture, this.#network.px),
      })),
      networkUsage,
    );
    const settled = candidates.map(({ fit }, i) => ({ ...fit, driftPx: driftBetween(leaning[i]!, fit) }));
    return faces.map((_, i) => settled.slice(4 * i, 4 * i + 4).reduce(steadier));
  }

  /** The fits of the second run, in the upright view that the first run gives. */
  async #fitTwice(
    views: readonly (BoxedFace & { quarterTurns: number })[],
    networkUsage: NetworkUsage[],
  ): Promise<SettledFit[]> {
    const px = this.#network.px;
    const first = await this.#fit(
      views.map(({ picture, box, quarterTurns }) => ({ picture, crop: boxCrop(box, quarterTurns, px) })),
      networkUsage,
    );
    const second = await this.#fit(
      views.map(({ picture }, i) => ({
        picture,
        crop: uprightCrop(first[i]!.chipToPicture, this.#template, picture, px),
      })),
      networkUsage,
    );
    return second.map((fit, i) => ({ ...fit, driftPx: driftBetween(first[i]!, fit) }));
  }

  async #fit(
    crops: readonly { picture: Pixels; crop: Crop }[],
    networkUsage: NetworkUsage[],
  ): Promise<Fit[]> {
    const template = this.#template;
    const px = this.#network.px;
    const fits: Fit[] = [];
    const usage = await this.#network.run(crops.length, {
      write: (i, row) => {
        const { picture, crop } = crops[i]!;
        this.#warp.draw(picture, crop.cropToPicture, crop.within, row, px);
      },
      read: (i, output) => {
        const landmarks = landmarksInPicture(output("points"), crops[i]!.crop.cropToPicture, px);
        const chipToPicture = fitSimilarity(template.points, fittedLandmarks(landmarks, template));
        fits[i] = { landmarks, chipToPicture };
      },
    });
    networkUsage.push(usage);
    return fits;
  }

  #alignment({ landmarks, chipToPicture, driftPx }: SettledFit, limits: { driftMaxPx: number }): Alignment {
    const template = this.#template;
    const residualPx = residualOf(chipToPicture, template.points, fittedLandmarks(landmarks, template));
    return {
      chipToPicture,
      eyes: eyesOf(landmarks, template),
      isFace: driftPx <= limits.driftMaxPx && residualPx <= template.residualMaxPx,
      quarterTurnsTried: false,
    };
  }
}

/** `numbers` are pairs x, y in the unit square of the crop. */
function landmarksInPicture(numbers: Float32Array, cropToPicture: Affine, px: number): Point[] {
  return Array.from({ length: numbers.length / 2 }, (_, i) =>
    apply(cropToPicture, { x: numbers[2 * i]! * px, y: numbers[2 * i + 1]! * px }),
  );
}

function steadier(a: SettledFit, b: SettledFit): SettledFit {
  return b.driftPx < a.driftPx ? b : a;
}

type BoxedFace = { picture: Pixels; box: Box };

/** `landmarks`: all of the scheme, in pixels of the picture. */
type Fit = { landmarks: readonly Point[]; chipToPicture: Affine };

/** A fit whose landmarks were found in two views; `driftPx` is how far they moved. */
type SettledFit = Fit & { driftPx: number };

export type Alignment = {
  chipToPicture: Affine;
  /** In pixels of the picture. */
  eyes: Eyes;
  /** Whether the landmarks are those of a face: they keep their place, and fit the template. */
  isFace: boolean;
  quarterTurnsTried: boolean;
};
