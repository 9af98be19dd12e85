import type { DetectorModel } from "@faceline/models/catalogue-entry";
import { type Box, clip, enlarged } from "../geometry/box.ts";
import type { Pixels } from "../geometry/pixels.ts";
import type { Network, NetworkUsage } from "../network/network.ts";
import { Letterbox, marginWindow, pictureWindow, type Window } from "./letterbox.ts";
import {
  compareBySize,
  type Detection,
  nonMaxSuppression,
  type SuppressionLimits,
} from "./non-max-suppression.ts";

/**
 * Finds the faces of pictures: boxes in pixels of the picture, largest first.
 *
 * A cascade of resolutions: a picture is searched at low resolution first, which costs a tenth, and at the
 * next one until a face is clear and nothing else could be one. All pictures of a step run together. Only the
 * full resolution is used where a call wants every face, and where faces are not aligned: without alignment
 * the box is used as it is, and a box found at low resolution changes the embedding enough to break matches.
 */
export class Detector {
  readonly #resolutions: readonly Resolution[];
  readonly #limits: DetectorLimits;

  /** `networks` ascend by their input side; the last one is the full resolution. */
  constructor(networks: readonly Network[], limits: DetectorLimits) {
    this.#resolutions = networks.map((network) => ({ network, letterbox: new Letterbox(network.px) }));
    this.#limits = limits;
  }

  /**
   * Searches pictures together. One without any detection at full resolution is searched once more, with a
   * margin around it.
   */
  async detect(pictures: readonly SearchedPicture[]): Promise<Detections> {
    const { detections, clear, networkUsage } = await this.#searchLow(pictures, allowsLowResolution);
    const full = this.#resolutions.at(-1)!;
    const search = async (windowOf: WindowOf, indices: readonly number[]) => {
      const { usage } = await this.#search(full, windowOf, { pictures, indices, detections });
      networkUsage.push(usage);
    };
    const unclear = [...pictures.keys()].filter((i) => !clear.has(i));
    await search(pictureWindow, unclear);
    const empty = unclear.filter((i) => detections[i]!.length === 0 && pictures[i]!.isDraft !== true);
    await search(marginWindow, empty);
    return { detections, lowResolution: [...clear], marginSearches: empty.length, networkUsage };
  }

  /**
   * Searches pictures at the lower resolutions alone, and returns only what is clear. For those in which full
   * resolution found nothing: it misses faces that fill the picture.
   */
  async detectAtLowResolution(pictures: readonly SearchedPicture[]): Promise<Detections> {
    const { detections, clear, networkUsage } = await this.#searchLow(pictures, () => true);
    for (const i of pictures.keys()) if (!clear.has(i)) detections[i] = [];
    return { detections, lowResolution: [...clear], marginSearches: 0, networkUsage };
  }

  /** Searches the pictures that allow it at one lower resolution after the other, each until it is clear. */
  async #searchLow(
    pictures: readonly SearchedPicture[],
    allows: (picture: SearchedPicture) => boolean,
  ): Promise<{ detections: DetectedFace[][]; clear: Set<number>; networkUsage: NetworkUsage[] }> {
    const detections: DetectedFace[][] = pictures.map(() => []);
    const networkUsage: NetworkUsage[] = [];
    const clear = new Set<number>();
    for (const resolution of this.#resolutions.slice(0, -1)) {
      const indices = [...pictures.keys()].filter((i) => !clear.has(i) && allows(pictures[i]!));
      const found = await this.#search(resolution, pictureWindow, { pictures, indices, detections });
      for (const i of found.clear) clear.add(i);
      networkUsage.push(found.usage);
    }
    return { detections, clear, networkUsage };
  }

  /** Searches the pictures at `indices`, stores their detections, and returns which of them are clear. */
  async #search(
    { network, letterbox }: Resolution,
    windowOf: WindowOf,
    { pictures, indices, detections }: Search,
  ): Promise<{ clear: Set<number>; usage: NetworkUsage }> {
    const clear = new Set<number>();
    const usage = await network.run(indices.length, {
      write(row, pixels) {
        const picture = pictures[indices[row]!]!;
        letterbox.draw(picture, windowOf(picture), pixels);
      },
      read: (row, output) => {
        const index = indices[row]!;
        const picture = pictures[index]!;
        const candidates = nonMaxSuppression(
          { boxes: output("boxes"), scores: output("scores") },
          this.#limits,
        );
        if (isClear(candidates, this.#limits)) clear.add(index);
        detections[index] = candidates
          .filter(({ score }) => score > this.#limits.faceScoreMin)
          .flatMap((candidate) => this.#inPicture(candidate, windowOf(picture), picture) ?? [])
          .toSorted(compareBySize);
      },
    });
    return { clear, usage };
  }

  /**
   * Maps a box from the unit square of the window to pixels of the picture; undefined where it lies outside.
   */
  #inPicture(detection: Detection, { left, top, side }: Window, picture: Pixels): DetectedFace | undefined {
    const scaled = {
      left: left + detection.left * side,
      top: top + detection.top * side,
      right: left + detection.right * side,
      bottom: top + detection.bottom * side,
    };
    const clipped = clip(scaled, picture);
    const landmarkBox = clip(enlarged(scaled, this.#limits.landmarkBoxScale), picture);
    return clipped && landmarkBox && { ...clipped, score: detection.score, landmarkBox };
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
export function allowsLowResolution({ options }: Pick<SearchedPicture, "options">): boolean {
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
  /** Faces of each picture, in its pixels, largest first. */
  detections: DetectedFace[][];
  /** Indices of the pictures that were clear before the full resolution. */
  lowResolution: number[];
  /** How many pictures were searched a second time, with a margin. */
  marginSearches: number;
  networkUsage: NetworkUsage[];
};

/**
 * A face, and the part of the picture in which its landmarks are searched first, in pixels of the picture.
 */
export type DetectedFace = Detection & { landmarkBox: Box };

export type SearchedPicture = Pixels & {
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
type WindowOf = (picture: Pixels) => Window;
type Search = {
  pictures: readonly SearchedPicture[];
  indices: readonly number[];
  detections: DetectedFace[][];
};
