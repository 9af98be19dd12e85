import { type Affine, apply, type Point } from "../geometry/affine.ts";
import type { Box } from "../geometry/box.ts";
import type { Pixels } from "../geometry/pixels.ts";
import { fitSimilarity, residualOf } from "../geometry/similarity.ts";
import type { Warp } from "../geometry/warp.ts";
import type { Network, NetworkUsage } from "../network/network.ts";
import { boxCrop, type Crop, leaningCrops, leanings, turnedCrop, uprightCrop } from "./crop.ts";
import { driftBetween } from "./drift.ts";
import { withoutStretch } from "./stretch.ts";
import { type AlignmentTemplate, type Eyes, eyesOf, fittedLandmarks } from "./templates.ts";

/**
 * Finds the landmarks of faces and fits them to the template of the landmark scheme, which gives the face
 * chip.
 *
 * Each face runs twice: in the detector's box, and then upright and centred as the first fit says. After the
 * second run the box hardly matters, so a face found at low resolution gets nearly the embedding that full
 * resolution gives.
 *
 * The network expects upright faces, and invents one if it sees none. Real landmarks stay in place when the
 * view moves; invented ones move with the view. The residual of the fit does not tell them apart: a face in a
 * stretched image fits worse than many an invented one. So if the landmarks drift between the two runs, the
 * face also runs in the other three quarter turns, and all four run again upright and then in two tilted
 * views. The turn with the smallest drift is taken, unless even that is too much for a face.
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
    const { px } = this.#network;
    const { driftMaxPx } = this.#template;
    const networkUsage: NetworkUsage[] = [];
    const views = faces.map(({ image, box }) => ({ image, crop: boxCrop(box, px) }));
    const boxed = await this.#fit(views, networkUsage);
    const upright = await this.#fitUpright(boxed, networkUsage);
    const driftPx = upright.map((fit, i) => driftBetween(boxed[i]!, fit));
    const alignments = upright.map((fit, i) => this.#alignment(fit, driftPx[i]! <= driftMaxPx.upright));

    const unsteady = [...faces.keys()].filter((i) => !(driftPx[i]! <= driftMaxPx.upright));
    const steadiest = await this.#steadiestTurns(
      unsteady.map((i) => ({ face: faces[i]!, upright: upright[i]! })),
      networkUsage,
    );
    for (const [position, i] of unsteady.entries()) {
      const { fit, driftPx } = steadiest[position]!;
      alignments[i] = {
        ...this.#alignment(fit, driftPx <= driftMaxPx.turned),
        quarterTurnsTried: true,
      };
    }
    return { alignments, networkUsage };
  }

  /** Returns the quarter turn of each face whose landmarks drift least. */
  async #steadiestTurns(
    faces: readonly { face: BoxedFace; upright: Fit }[],
    networkUsage: NetworkUsage[],
  ): Promise<{ fit: Fit; driftPx: number }[]> {
    const { px } = this.#network;
    const views = faces.flatMap(({ face: { image, box } }) =>
      [1, 2, 3].map((turns) => ({ image, crop: turnedCrop(box, turns, image, px) })),
    );
    const turned = await this.#fitUpright(await this.#fit(views, networkUsage), networkUsage);
    const fits = faces.flatMap(({ upright }, i) => [upright, ...turned.slice(3 * i, 3 * i + 3)]);
    const settled = await this.#fitUpright(fits, networkUsage);
    const leaning = await this.#fit(
      settled.flatMap(({ image, chipToImage }) =>
        leaningCrops(chipToImage, this.#template, image, px).map((crop) => ({ image, crop })),
      ),
      networkUsage,
    );
    const candidates = settled.map((fit, i) => {
      const views = leaning.slice(leanings.length * i, leanings.length * (i + 1));
      return { fit, driftPx: Math.max(...views.map((view) => driftBetween(view, fit))) };
    });
    return faces.map((_, i) =>
      candidates.slice(4 * i, 4 * i + 4).reduce((a, b) => (b.driftPx < a.driftPx ? b : a)),
    );
  }

  /** Runs each face again, upright and centred as its fit says. */
  #fitUpright(fits: readonly Fit[], networkUsage: NetworkUsage[]): Promise<Fit[]> {
    const { px } = this.#network;
    const views = fits.map(({ image, chipToImage }) => ({
      image,
      crop: uprightCrop(chipToImage, this.#template, image, px),
    }));
    return this.#fit(views, networkUsage);
  }

  async #fit(views: readonly View[], networkUsage: NetworkUsage[]): Promise<Fit[]> {
    const template = this.#template;
    const px = this.#network.px;
    const fits: Fit[] = [];
    const usage = await this.#network.run(views.length, {
      write: (i, row) => {
        const { image, crop } = views[i]!;
        this.#warp.draw(image, crop.cropToImage, crop.within, row, px);
      },
      read: (i, output) => {
        const { image, crop } = views[i]!;
        const landmarks = landmarksInImage(output("points"), crop.cropToImage, px);
        const chipToImage = fitSimilarity(template.points, fittedLandmarks(landmarks, template));
        fits[i] = { image, landmarks, chipToImage };
      },
    });
    networkUsage.push(usage);
    return fits;
  }

  #alignment({ landmarks, chipToImage }: Fit, isSteady: boolean): Alignment {
    const template = this.#template;
    const fitted = fittedLandmarks(landmarks, template);
    const residualPx = residualOf(chipToImage, template.points, fitted);
    return {
      chipToImage: withoutStretch(chipToImage, template.points, fitted),
      eyes: eyesOf(landmarks, template),
      landmarks,
      isFace: isSteady && residualPx <= template.residualMaxPx,
      quarterTurnsTried: false,
    };
  }
}

/** `numbers` are pairs x, y in the unit square of the crop. */
function landmarksInImage(numbers: Float32Array, cropToImage: Affine, px: number): Point[] {
  return Array.from({ length: numbers.length / 2 }, (_, i) =>
    apply(cropToImage, { x: numbers[2 * i]! * px, y: numbers[2 * i + 1]! * px }),
  );
}

type BoxedFace = { image: Pixels; box: Box };

type View = { image: Pixels; crop: Crop };

/** `landmarks`: all of the scheme, in pixels of the image. */
type Fit = { image: Pixels; landmarks: readonly Point[]; chipToImage: Affine };

export type Alignment = {
  chipToImage: Affine;
  /** Eye centres, in pixels of the image. */
  eyes: Eyes;
  /** All of the scheme, in pixels of the image. */
  landmarks: readonly Point[];
  /** Whether the landmarks belong to a face: they keep their place, and fit the template. */
  isFace: boolean;
  quarterTurnsTried: boolean;
};
