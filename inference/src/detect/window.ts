/**
 * The square of a picture's plane that a detector sees. Its corner lies at the picture's, so that the picture is at
 * the top left, and what the picture does not cover is black.
 */
export function windowOf({ width, height }: Size): Window {
  return { left: 0, top: 0, side: Math.max(width, height) };
}

/**
 * The same with a margin of a quarter round the picture. A face that fills its picture is smaller in it and has
 * surroundings: most of those that were missed at first are found.
 */
export function marginWindowOf({ width, height }: Size): Window {
  const side = Math.max(width, height);
  return { left: -MARGIN * side, top: -MARGIN * side, side: (1 + 2 * MARGIN) * side };
}

const MARGIN = 0.25;

export type Size = { width: number; height: number };

/** In pixels of the picture. */
export type Window = { left: number; top: number; side: number };
