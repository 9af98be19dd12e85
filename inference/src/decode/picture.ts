import type { InputFault } from "@faceline/contracts/http/errors";

export type PictureLimits = {
  /** Width times height as the header tells them: refused before a pixel is allocated. */
  pixelsMax: number;
  /** The least width and height. */
  sideMin: number;
  /** Larger ones are shrunk: it bounds the memory that a picture takes. */
  longSideMax: number;
  /**
   * The long side of what is shrunk. Less than the limit: to shrink costs more than to look at a picture in full, but once
   * it is done the smaller is the cheaper.
   */
  shrunkSide: number;
};

/** The limits that the API promises, and what the models' accuracy was measured with. */
export const pictureLimits: PictureLimits = {
  pixelsMax: 40_000_000,
  sideMin: 16,
  longSideMax: 2560,
  shrunkSide: 1600,
};

/** Upright. Faces are found in `width` x `height` pixels and answered in those of the original. */
export type Picture = {
  kind: "picture";
  /** RGB, row by row, 8 bits. */
  pixels: Uint8Array;
  width: number;
  height: number;
  originalWidth: number;
  originalHeight: number;
};

/** The input is at fault. */
export type Rejected = { kind: "rejected"; code: InputFault };

export function rejected(code: InputFault): Rejected {
  return { kind: "rejected", code };
}
