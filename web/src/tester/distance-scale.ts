/**
 * Returns the distance at the right end of a scale that begins at 0: it holds twice the model's own threshold
 * and all distances. A threshold that is chosen on it does not change it, so that it stays still while that
 * moves; a larger one is its end.
 */
export const scaleEnd = (distances: number[], { own, chosen }: { own: number; chosen: number }): number =>
  Math.max(2 * own, chosen, ...distances.map((distance) => distance * margin)) || 1;

/** Room to the right of the largest distance. */
const margin = 1.1;
