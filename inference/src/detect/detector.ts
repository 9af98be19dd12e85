import type { Network } from "../engine/network.ts";
import { Letterbox, type Pixels } from "./letterbox.ts";
import { bySize, clip, type Found, select, type SelectionLimits } from "./selection.ts";
import { marginWindowOf, type Window, windowOf } from "./window.ts";

/** Finds the faces of pictures: boxes in pixels of the picture, largest first. */
export class Detector {
  readonly #network: Network;
  readonly #limits: SelectionLimits;
  readonly #letterbox: Letterbox;

  constructor(network: Network, limits: SelectionLimits) {
    this.#network = network;
    this.#limits = limits;
    this.#letterbox = new Letterbox(network.px);
  }

  /** A list for each picture. One in which no face was seen is looked at once more, with a margin round it. */
  async detect(pictures: readonly Pixels[]): Promise<{ faces: Found[][]; secondLooks: number }> {
    const faces = await this.#look(pictures, windowOf);
    const missed = [...faces.keys()].filter((i) => faces[i]!.length === 0);
    const second = await this.#look(
      missed.map((i) => pictures[i]!),
      marginWindowOf,
    );
    for (const [i, found] of second.entries()) faces[missed[i]!] = found;
    return { faces, secondLooks: missed.length };
  }

  async #look(pictures: readonly Pixels[], windowFor: (picture: Pixels) => Window): Promise<Found[][]> {
    const faces: Found[][] = pictures.map(() => []);
    await this.#network.run(pictures.length, {
      write: (i, row) => this.#letterbox.draw(pictures[i]!, windowFor(pictures[i]!), row),
      read: (i, output) => {
        const found = select({ boxes: output("boxes"), scores: output("scores") }, this.#limits);
        faces[i] = found
          .flatMap((box) => inPicture(box, windowFor(pictures[i]!), pictures[i]!) ?? [])
          .toSorted(bySize);
      },
    });
    return faces;
  }
}

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
