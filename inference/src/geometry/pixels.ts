/**
 * The type of decoded pixels, which all stages of the pipeline share. It has no behaviour, and so no test.
 */

export type Size = { width: number; height: number };

/** RGB, row by row, 8 bits a channel. */
export type Pixels = Size & { pixels: Uint8Array };
