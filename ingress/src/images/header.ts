import { type Dimensions, plainDimensions } from "@faceline/contracts/image/dimensions";
import PQueue from "p-queue";
import sharp from "sharp";
import { capacityReached, type InputRef, inputError } from "../call/api-error.ts";

// libvips could open many more formats (SVG, PDF, GIF). The format was checked before; this is the second
// barrier.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: ["VipsForeignLoadJpeg", "VipsForeignLoadPng", "VipsForeignLoadWebp"] });
sharp.cache(false);
sharp.concurrency(1);

/**
 * Checks by the header of an image whether a worker may decode it. No pixel is read, so an image that would
 * unpack to gigabytes costs as little as any other. Few headers need libvips; of those HEADER_CHECKS_MAX are
 * read at a time.
 */
export class HeaderChecker {
  readonly #limits: HeaderLimits;
  readonly #libvips: PQueue;

  constructor(limits: HeaderLimits) {
    this.#limits = limits;
    this.#libvips = new PQueue({ concurrency: limits.HEADER_CHECKS_MAX });
  }

  /**
   * Throws `invalid_image`, `image_too_large` or `image_too_small`; and `queue_full` if too many headers are
   * waiting for libvips.
   */
  async check(image: Buffer, ref: InputRef): Promise<void> {
    const { width, height } = plainDimensions(image) ?? (await this.#dimensionsByLibvips(image, ref));
    const { IMAGE_PIXELS_MAX, IMAGE_SIDE_MIN_PX } = this.#limits;
    if (width * height > IMAGE_PIXELS_MAX) {
      const detail = `The image in ${ref.label} has more than ${IMAGE_PIXELS_MAX} pixels.`;
      throw inputError(ref, "image_too_large", detail);
    }
    if (Math.min(width, height) < IMAGE_SIDE_MIN_PX) {
      const detail = `The image in ${ref.label} has a side of less than ${IMAGE_SIDE_MIN_PX} pixels.`;
      throw inputError(ref, "image_too_small", detail);
    }
  }

  async #dimensionsByLibvips(image: Buffer, ref: InputRef): Promise<Dimensions> {
    if (this.#libvips.size >= this.#limits.HEADER_CHECKS_WAITING_MAX) {
      throw capacityReached("Too many images wait to be looked at.");
    }
    return this.#libvips.add(async () => {
      try {
        // The pixel limit is checked above, with its own error, so the limit of sharp is off.
        return await sharp(image, { limitInputPixels: false }).metadata();
      } catch {
        throw inputError(ref, "invalid_image", `The image in ${ref.label} is damaged.`);
      }
    });
  }
}

export type HeaderLimits = {
  IMAGE_PIXELS_MAX: number;
  IMAGE_SIDE_MIN_PX: number;
  HEADER_CHECKS_MAX: number;
  HEADER_CHECKS_WAITING_MAX: number;
};
