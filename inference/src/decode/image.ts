import type { InputFault } from "@faceline/contracts/http/errors";
import { decodingBytesMax } from "@faceline/images/decoding-bytes";
import { imageSideMinPx } from "@faceline/images/header";
import type { Pixels } from "../geometry/pixels.ts";

/** Input and output of a decoder. */

export type ImageLimits = {
  /** Width times height as the header gives them: rejected before a pixel is allocated. */
  pixelsMax: number;
  /** Memory that libvips may take, as decodingBytes reckons it by the header: rejected likewise. */
  decodingBytesMax: number;
  /** The smallest width and height. */
  sideMinPx: number;
  /** An image with a longer side is shrunk: this bounds the memory of an image. */
  longSideMaxPx: number;
  /**
   * The smallest long side of an image that is shrunk. Less than the limit above: once an image is shrunk, a
   * smaller one is cheaper.
   */
  shrunkSidePx: number;
  /**
   * Time that libvips may spend on an image; then its task fails. It counts whole seconds, rounded up. Where
   * none of a batch's decodes ends for half as long again, in which its threads had cores, the decoder hangs:
   * the process exits, and the launcher starts a new one.
   */
  decodeMaxMs: number;
};

/** Constants and defaults of settings: what the API promises, and what accuracy was measured with. */
export const defaultImageLimits: ImageLimits = {
  pixelsMax: 40_000_000,
  decodingBytesMax,
  sideMinPx: imageSideMinPx,
  longSideMaxPx: 2_560,
  shrunkSidePx: 1_600,
  decodeMaxMs: 10_000,
};

/** An upright image. Faces are found in `width` x `height` pixels and reported in those of the original. */
export type Image = Pixels & {
  kind: "image";
  originalWidth: number;
  originalHeight: number;
  /** It has less detail than the file. A full decode may show more, or reject the file. */
  isDraft?: boolean;
};

/** The image is at fault. */
export type Rejected = { kind: "rejected"; code: InputFault };

/** An image took too long to decode. Either it is at fault, or the machine is too busy: nobody can tell. */
export class DecodeTimeout extends Error {
  constructor(decodeMaxMs: number) {
    super(`an image was not decoded within ${decodeMaxMs} ms`);
  }
}

export function rejected(code: InputFault): Rejected {
  return { kind: "rejected", code };
}
