import type { DetectorModel } from "@faceline/models/catalogue";
import type { Network } from "../engine/network.ts";
import { Letterbox, type Pixels } from "./letterbox.ts";
import { bySize, clip, type Found, select, type SelectionLimits } from "./selection.ts";
import { marginWindowOf, type Window, windowOf } from "./window.ts";

/**
 * Finds the faces of pictures: boxes in pixels of the picture, largest first.
 *
 * A picture of which one face is wanted is looked at in small first, which costs a tenth, and larger as long as no face
 * is seen clearly; all of a step run together. Where all faces are wanted the full size alone will do.
 */
export class Detector {
  readonly #sizes: readonly Eye[];
  readonly #limits: DetectorLimits;

  /** Ascending by their side; the last is the full size. */
  constructor(networks: readonly Network[], limits: DetectorLimits) {
    this.#sizes = networks.map((network) => ({ network, letterbox: new Letterbox(network.px) }));
    this.#limits = limits;
  }

  /** A list for each picture. One in which no face was seen is looked at once more, with a margin round it. */
  async detect(pictures: readonly SearchedPicture[]): Promise<{ faces: Found[][]; secondLooks: number }> {
    const faces: Found[][] = pictures.map(() => []);
    const full = this.#sizes.at(-1)!;
    let unsure = [...pictures.keys()];
    for (const size of this.#sizes) {
      const looked = size === full ? unsure : unsure.filter((i) => pictures[i]!.options.facesMax === 1);
      await this.#look(size, windowOf, pictures, looked, faces);
      const seen = new Set(looked.filter((i) => this.#isSure(faces[i]!)));
      unsure = unsure.filter((i) => !seen.has(i));
    }
    const missed = unsure.filter((i) => faces[i]!.length === 0);
    await this.#look(full, marginWindowOf, pictures, missed, faces);
    return { faces, secondLooks: missed.length };
  }

  #isSure(found: readonly Found[]): boolean {
    return found.some(({ score }) => score >= this.#limits.sureFrom);
  }

  async #look(
    { network, letterbox }: Eye,
    windowFor: (picture: Pixels) => Window,
    pictures: readonly SearchedPicture[],
    looked: readonly number[],
    faces: Found[][],
  ): Promise<void> {
    await network.run(looked.length, {
      write(row, pixels) {
        const picture = pictures[looked[row]!]!;
        letterbox.draw(picture, windowFor(picture), pixels);
      },
      read: (row, output) => {
        const picture = pictures[looked[row]!]!;
        const found = select({ boxes: output("boxes"), scores: output("scores") }, this.#limits);
        faces[looked[row]!] = found
          .flatMap((box) => inPicture(box, windowFor(picture), picture) ?? [])
          .toSorted(bySize);
      },
    });
  }
}

/** What the catalogue says of a detector. */
export function limitsOf({ selection, cascade }: DetectorModel): DetectorLimits {
  return {
    scoreMin: selection.score_min,
    overlapMax: selection.overlap_max,
    sureFrom: cascade?.score_min ?? 0,
  };
}

type Eye = { network: Network; letterbox: Letterbox };

/** `options.facesMax` of 1: the largest face will do. */
export type SearchedPicture = Pixels & { options: { facesMax: number } };

/** A face of at least the score `sureFrom` is seen clearly: no larger size is asked. */
export type DetectorLimits = SelectionLimits & { sureFrom: number };

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
