import { decodingBytes } from "@faceline/contracts/image/decoding-bytes";
import { decodingCost } from "@faceline/contracts/image/decoding-cost";
import { imageFormat } from "@faceline/contracts/image/format";
import { type ImageHeader, imageHeaderOf, plainImageHeader } from "@faceline/contracts/image/header";
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
   * Returns its pixels, and what decoding it costs, in units of `decodingCost`. Throws `invalid_image`,
   * `image_too_large` or `image_too_small`; and `queue_full` if too many headers are waiting for libvips.
   */
  async check(image: Buffer, ref: InputRef): Promise<{ cost: number; pixels: number }> {
    const header = plainImageHeader(image) ?? (await this.#headerByLibvips(image, ref));
    const { width, height } = header;
    const { IMAGE_PIXELS_MAX, IMAGE_SIDE_MIN_PX, IMAGE_DECODING_BYTES_MAX } = this.#limits;
    if (width * height > IMAGE_PIXELS_MAX) {
      const detail = `The image in ${ref.label} has more than ${IMAGE_PIXELS_MAX} pixels.`;
      throw inputError(ref, "image_too_large", detail);
    }
    if (Math.min(width, height) < IMAGE_SIDE_MIN_PX) {
      const detail = `The image in ${ref.label} has a side of less than ${IMAGE_SIDE_MIN_PX} pixels.`;
      throw inputError(ref, "image_too_small", detail);
    }
    if (decodingBytes(header) > IMAGE_DECODING_BYTES_MAX) {
      const detail =
        `Decoding the image in ${ref.label} would take more than ${IMAGE_DECODING_BYTES_MAX} bytes of memory: ` +
        "send it smaller, or as a baseline JPEG, or as a PNG of 8 bits without interlacing.";
      throw inputError(ref, "image_too_large", detail);
    }
    return { cost: decodingCost(header, image.length), pixels: width * height };
  }

  async #headerByLibvips(image: Buffer, ref: InputRef): Promise<ImageHeader> {
    if (imageFormat(image) === "avif") {
      const kind = "is damaged, or an AVIF of several frames, layers or pictures";
      throw inputError(ref, "invalid_image", `The image in ${ref.label} ${kind}: save it anew, or as JPEG.`);
    }
    if (this.#libvips.size >= this.#limits.HEADER_CHECKS_WAITING_MAX) {
      throw capacityReached("header_checks_full", "Too many images wait for the check of their headers.");
    }
    return this.#libvips.add(async () => {
      // The pixel limit is checked above, with its own error, so the limit of sharp is off.
      const read = sharp(image, { limitInputPixels: false }).metadata();
      const header = await read.then(imageHeaderOf, () => undefined);
      if (header === undefined) {
        throw inputError(ref, "invalid_image", `The image in ${ref.label} is damaged.`);
      }
      return header;
    });
  }
}

export type HeaderLimits = {
  IMAGE_PIXELS_MAX: number;
  IMAGE_DECODING_BYTES_MAX: number;
  IMAGE_SIDE_MIN_PX: number;
  HEADER_CHECKS_MAX: number;
  HEADER_CHECKS_WAITING_MAX: number;
};
