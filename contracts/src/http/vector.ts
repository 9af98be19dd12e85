import * as z from "zod";

/** No model's embedding is longer. */
export const vectorLengthMax = 4096;

/**
 * A list of finite numbers. Checked by hand: a call may bring a million numbers, and zod's own list keeps a
 * result for each of them.
 */
export const Vector = z
  .custom<number[]>(isVector, `must be a list of 1 to ${vectorLengthMax} finite numbers`)
  .meta({
    type: "array",
    items: { type: "number" },
    minItems: 1,
    maxItems: vectorLengthMax,
    description: "A vector that /represent gave earlier. It must have the length of the model's own.",
  });

/** What JSON calls a number may be Infinity here: 1e400 is. */
export function isVector(given: unknown): given is number[] {
  return (
    Array.isArray(given) &&
    given.length > 0 &&
    given.length <= vectorLengthMax &&
    given.every(Number.isFinite)
  );
}
