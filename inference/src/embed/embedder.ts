import type { EmbeddingModel } from "@faceline/models/catalogue-entry";
import type { AlignmentTemplate } from "../align/templates.ts";
import type { Affine } from "../geometry/affine.ts";
import type { Box } from "../geometry/box.ts";
import type { Pixels } from "../geometry/pixels.ts";
import type { Warp } from "../geometry/warp.ts";
import type { Network, NetworkUsage } from "../network/network.ts";

/**
 * Turns face chips into embeddings. The chips of all images of a batch run together, and each is drawn just
 * before its run. Tested with the real networks in lanes.test.ts, and with made-up ones in
 * model-seam.test.ts.
 */
export class Embedder {
  readonly #network: Network;
  readonly #warp: Warp;
  /** Maps its chip to the one of the alignment template, in pixels of both. */
  readonly chipToTemplate: Affine;

  constructor(network: Network, warp: Warp, chipToTemplate: Affine) {
    this.#network = network;
    this.#warp = warp;
    this.chipToTemplate = chipToTemplate;
  }

  /** The side of the chips that the network takes. */
  get px(): number {
    return this.#network.px;
  }

  /** One embedding for each chip, in their order. The caller owns them and zeroes them. */
  async embed(chips: readonly Chip[]): Promise<{ embeddings: Float32Array[]; networkUsage: NetworkUsage[] }> {
    const embeddings: Float32Array[] = [];
    const usage = await this.#network.run(chips.length, {
      write: (i, row) => {
        const { image, chipToImage, within } = chips[i]!;
        this.#warp.draw(image, chipToImage, within, row, this.#network.px);
      },
      // A copy: the row is a view of the run's output, which is zeroed afterwards.
      read: (i, output) => {
        embeddings[i] = output("embedding").slice();
      },
    });
    return { embeddings, networkUsage: [usage] };
  }
}

/** Maps the chip of a model to the chip of the template that its landmarks are fitted to. */
export function chipToTemplate({ chip, input_px }: EmbeddingModel, { chipPx }: AlignmentTemplate): Affine {
  const { a, c, e, f } = chip ?? { a: chipPx / input_px, c: 0, e: 0, f: 0 };
  return { a, b: -c, c, d: a, e, f };
}

/**
 * The square that the embedding network sees, by the map from its pixels to the image. It is black outside
 * `within`.
 */
export type Chip = { image: Pixels; chipToImage: Affine; within: Box };
