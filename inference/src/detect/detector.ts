import type { DetectorModel } from "@faceline/models/catalogue-entry";
import { type Box, clip, enlarged } from "../geometry/box.ts";
import type { Pixels } from "../geometry/pixels.ts";
import type { Network, NetworkUsage } from "../network/network.ts";
import { Letterbox, marginWindow, imageWindow, type Window } from "./letterbox.ts";
import {
  compareBySize,
  type Detection,
  nonMaxSuppression,
  type SuppressionLimits,
} from "./non-max-suppression.ts";

/**
 * Finds the faces of images: boxes in pixels of the image, largest first.
 *
 * A cascade of resolutions: an image is searched at low resolution first, which costs a tenth, and at the
 * next one until a face is clear and nothing else could be one. All images of a step run together. Only the
 * full resolution is used where a call wants every face, and where faces are not aligned: without alignment
 * the box is used as it is, and a box found at low resolution changes the embedding enough to break matches.
 */
export class Detector {
  readonly #resolutions: readonly Resolution[];
  readonly #limits: DetectorLimits;
  readonly #searchesMargin: boolean;

  /**
   * `networks` ascend by their input side; the last one is the full resolution. `searchesMargin`: an image
   * without any detection at full resolution is searched once more, with a margin around it.
   */
  constructor(
    networks: readonly Network[],
    limits: DetectorLimits,
    { searchesMargin }: { searchesMargin: boolean } = { searchesMargin: true },
  ) {
    this.#resolutions = networks.map((network) => ({ network, letterbox: new Letterbox(network.px) }));
    this.#limits = limits;
    this.#searchesMargin = searchesMargin;
  }

  /** Searches images together. */
  async detect(images: readonly SearchedImage[]): Promise<Detections> {
    const { detections, clear, networkUsage } = await this.#searchLow(images, allowsLowResolution);
    const full = this.#resolutions.at(-1)!;
    const search = async (windowOf: WindowOf, indices: readonly number[]) => {
      const { usage } = await this.#search(full, windowOf, { images, indices, detections });
      networkUsage.push(usage);
    };
    const unclear = [...images.keys()].filter((i) => !clear.has(i));
    await search(imageWindow, unclear);
    const empty = unclear.filter(
      (i) => this.#searchesMargin && detections[i]!.length === 0 && images[i]!.isDraft !== true,
    );
    await search(marginWindow, empty);
    return { detections, lowResolution: [...clear], networkUsage };
  }

  /**
   * Searches images only at the lower resolutions, and returns only what is clear. For those in which full
   * resolution found nothing: it misses faces that fill the image.
   */
  async detectAtLowResolution(images: readonly SearchedImage[]): Promise<Detections> {
    const { detections, clear, networkUsage } = await this.#searchLow(images, () => true);
    for (const i of images.keys()) if (!clear.has(i)) detections[i] = [];
    return { detections, lowResolution: [...clear], networkUsage };
  }

  /** Searches the images that allow it at one lower resolution after the other, each until it is clear. */
  async #searchLow(
    images: readonly SearchedImage[],
    allows: (image: SearchedImage) => boolean,
  ): Promise<{ detections: DetectedFace[][]; clear: Set<number>; networkUsage: NetworkUsage[] }> {
    const detections: DetectedFace[][] = images.map(() => []);
    const networkUsage: NetworkUsage[] = [];
    const clear = new Set<number>();
    for (const resolution of this.#resolutions.slice(0, -1)) {
      const indices = [...images.keys()].filter((i) => !clear.has(i) && allows(images[i]!));
      const found = await this.#search(resolution, imageWindow, { images, indices, detections });
      for (const i of found.clear) clear.add(i);
      networkUsage.push(found.usage);
    }
    return { detections, clear, networkUsage };
  }

  /** Searches the images at `indices`, stores their detections, and returns which of them are clear. */
  async #search(
    { network, letterbox }: Resolution,
    windowOf: WindowOf,
    { images, indices, detections }: Search,
  ): Promise<{ clear: Set<number>; usage: NetworkUsage }> {
    const clear = new Set<number>();
    const usage = await network.run(indices.length, {
      write(row, pixels) {
        const image = images[indices[row]!]!;
        letterbox.draw(image, windowOf(image), pixels);
      },
      read: (row, output) => {
        const index = indices[row]!;
        const image = images[index]!;
        const candidates = nonMaxSuppression(
          { boxes: output("boxes"), scores: output("scores") },
          this.#limits,
        );
        if (isClear(candidates, this.#limits)) clear.add(index);
        detections[index] = candidates
          .filter(({ score }) => score > this.#limits.faceScoreMin)
          .flatMap((candidate) => this.#inImage(candidate, windowOf(image), image) ?? [])
          .toSorted(compareBySize);
      },
    });
    return { clear, usage };
  }

  /** Maps a box from the unit square of the window to pixels of the image; undefined if it lies outside. */
  #inImage(detection: Detection, { left, top, side }: Window, image: Pixels): DetectedFace | undefined {
    const scaled = {
      left: left + detection.left * side,
      top: top + detection.top * side,
      right: left + detection.right * side,
      bottom: top + detection.bottom * side,
    };
    const clipped = clip(scaled, image);
    const landmarkBox = clip(enlarged(scaled, this.#limits.landmarkBoxScale), image);
    const { name } = this.#resolutions.at(-1)!.network;
    return clipped && landmarkBox && { ...clipped, score: detection.score, landmarkBox, detector: name };
  }
}

/** The limits of a detector's catalogue entry. Without a cascade every score is clear. */
export function detectorLimits({
  selection,
  cascade,
  landmark_box_scale: landmarkBoxScale = 1,
}: DetectorModel): DetectorLimits {
  const { score_min: faceScoreMin, iou_max: iouMax } = selection;
  const clear = cascade?.clear ?? { below: faceScoreMin, from: faceScoreMin };
  return { scoreMin: Math.min(faceScoreMin, clear.below), faceScoreMin, iouMax, clear, landmarkBoxScale };
}

/** Whether one clear face is enough, and its position need not be exact. */
export function allowsLowResolution({ options }: Pick<SearchedImage, "options">): boolean {
  return options.align && !options.fullResolution;
}

/** Whether there is at least one sure face, and no score between "surely none" and "surely one". */
function isClear(candidates: readonly Detection[], { clear }: DetectorLimits): boolean {
  return (
    candidates.some(({ score }) => score >= clear.from) &&
    candidates.every(({ score }) => score >= clear.from || score < clear.below)
  );
}

export type Detections = {
  /** Faces of each image, in its pixels, largest first. */
  detections: DetectedFace[][];
  /** Indices of the images that were clear before the full resolution. */
  lowResolution: number[];
  networkUsage: NetworkUsage[];
};

/**
 * A face, the part of the image in which its landmarks are searched first, in pixels of the image, and the
 * name of the detector.
 */
export type DetectedFace = Detection & { landmarkBox: Box; detector: string };

export type SearchedImage = Pixels & {
  isDraft?: boolean;
  options: { fullResolution: boolean; align: boolean };
};

type DetectorLimits = SuppressionLimits & {
  /** A detection with a greater score is a face. */
  faceScoreMin: number;
  /**
   * A score less than `below` is surely no face, one of `from` or more surely one. Between them the next
   * resolution decides.
   */
  clear: { below: number; from: number };
  /** Side of the part in which landmarks are searched first, in sides of the box. */
  landmarkBoxScale: number;
};

type Resolution = { network: Network; letterbox: Letterbox };
type WindowOf = (image: Pixels) => Window;
type Search = {
  images: readonly SearchedImage[];
  indices: readonly number[];
  detections: DetectedFace[][];
};
