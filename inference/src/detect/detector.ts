import type { DetectorModel } from "@faceline/models/catalogue";
import type { Network } from "../engine/network.ts";
import { Letterbox, type Pixels } from "./letterbox.ts";
import { bySize, clip, type Found, type SelectionLimits, select } from "./selection.ts";
import { marginWindowOf, type Window, windowOf } from "./window.ts";

/**
 * Finds the faces of pictures: boxes in pixels of the picture, largest first.
 *
 * A picture is looked at in small first, which costs a tenth, and larger until a face is seen clearly and nothing else
 * could be one; all of a step run together. Where every face is wanted the full size alone will do, and where a face is
 * not aligned: nothing mends its box then, and one that was drawn in small makes other people of the same.
 */
export class Detector {
  readonly #sizes: readonly Eye[];
  readonly #limits: DetectorLimits;

  /** Ascending by their side; the last is the full size. */
  constructor(networks: readonly Network[], limits: DetectorLimits) {
    this.#sizes = networks.map((network) => ({ network, letterbox: new Letterbox(network.px) }));
    this.#limits = limits;
  }

  /**
   * A list for each picture. One in which no face was seen is looked at once more, with a margin round it. `inSmall` are
   * those that were clear before the full size.
   */
  async detect(pictures: readonly SearchedPicture[]): Promise<Detected> {
    const faces: Found[][] = pictures.map(() => []);
    const everyone = [...pictures.keys()];
    const full = this.#sizes.at(-1)!;
    let unsure = everyone;
    for (const size of this.#sizes.slice(0, -1)) {
      const looked = unsure.filter((i) => mayBeSmall(pictures[i]!));
      const clear = await this.#look(size, windowOf, pictures, looked, faces);
      unsure = unsure.filter((i) => !clear.has(i));
    }
    const inFull = new Set(unsure);
    await this.#look(full, windowOf, pictures, unsure, faces);
    const missed = unsure.filter((i) => faces[i]!.length === 0);
    await this.#look(full, marginWindowOf, pictures, missed, faces);
    return { faces, inSmall: everyone.filter((i) => !inFull.has(i)), secondLooks: missed.length };
  }

  /** Fills in what is found, and returns the pictures in which it is clear. */
  async #look(
    { network, letterbox }: Eye,
    windowFor: (picture: Pixels) => Window,
    pictures: readonly SearchedPicture[],
    looked: readonly number[],
    faces: Found[][],
  ): Promise<Set<number>> {
    const clear = new Set<number>();
    await network.run(looked.length, {
      write(row, pixels) {
        const picture = pictures[looked[row]!]!;
        letterbox.draw(picture, windowFor(picture), pixels);
      },
      read: (row, output) => {
        const picture = pictures[looked[row]!]!;
        const seen = select({ boxes: output("boxes"), scores: output("scores") }, this.#limits);
        if (isClear(seen, this.#limits)) clear.add(looked[row]!);
        faces[looked[row]!] = seen
          .filter(({ score }) => score > this.#limits.faceFrom)
          .flatMap((box) => inPicture(box, windowFor(picture), picture) ?? [])
          .toSorted(bySize);
      },
    });
    return clear;
  }
}

/** What the catalogue says of a detector. Without a cascade there is nothing to be unclear about. */
export function limitsOf({ selection, cascade }: DetectorModel): DetectorLimits {
  const { score_min: faceFrom, overlap_max: overlapMax } = selection;
  const clear = cascade?.clear ?? { below: faceFrom, from: faceFrom };
  return { scoreMin: Math.min(faceFrom, clear.below), faceFrom, overlapMax, clear };
}

function mayBeSmall({ options }: SearchedPicture): boolean {
  return options.align && !options.fullResolution;
}

export type Detected = { faces: Found[][]; inSmall: number[]; secondLooks: number };

type Eye = { network: Network; letterbox: Letterbox };

/** A face is there, and nothing that could be one or not. */
function isClear(seen: readonly Found[], { clear }: DetectorLimits): boolean {
  return (
    seen.some(({ score }) => score >= clear.from) &&
    seen.every(({ score }) => score >= clear.from || score < clear.below)
  );
}

export type SearchedPicture = Pixels & { options: { fullResolution: boolean; align: boolean } };

export type DetectorLimits = SelectionLimits & {
  /** A box is a face above it. */
  faceFrom: number;
  /** What scores less than `below` is no face, what scores `from` or more is one; between them a larger size is asked. */
  clear: { below: number; from: number };
};

function inPicture(box: Found, { left, top, side }: Window, picture: Pixels): Found | undefined {
  const placed = {
    left: left + box.left * side,
    top: top + box.top * side,
    right: left + box.right * side,
    bottom: top + box.bottom * side,
  };
  const clipped = clip(placed, picture);
  return clipped && { ...clipped, score: box.score };
}
