import type { Affine, Rectangle } from "../align/affine.ts";
import type { Warp } from "../align/warp.ts";
import type { Pixels } from "../detect/letterbox.ts";
import type { Network } from "../engine/network.ts";

/** Faces → embeddings. The faces of all pictures of a batch run together; a chip is drawn just before its run. */
export class Embedder {
  readonly #network: Network;
  readonly #warp: Warp;

  constructor(network: Network, warp: Warp) {
    this.#network = network;
    this.#warp = warp;
  }

  /** The side of a chip. */
  get px(): number {
    return this.#network.px;
  }

  async embed(chips: readonly Chip[]): Promise<Float32Array[]> {
    const embeddings: Float32Array[] = [];
    await this.#network.run(chips.length, {
      write: (i, row) => {
        const { picture, map, within } = chips[i]!;
        this.#warp.draw(picture, map, within, row, this.#network.px);
      },
      // A copy: the row is a view of what all faces of the run share, and is zeroed after it.
      read: (i, output) => {
        embeddings[i] = output("embedding").slice();
      },
    });
    return embeddings;
  }
}

/** What the embedding network is to see: a square of its own size, found in the picture by the map. */
export type Chip = { picture: Pixels; map: Affine; within: Rectangle };
