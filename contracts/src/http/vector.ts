import * as z from "zod";

/** Longest vector, in numbers. No model has a longer embedding. */
export const vectorLengthMax = 4096;

/**
 * A list of finite numbers. Not `z.array`, which allocates a result for every number: a call may have a
 * million of them.
 */
export const Vector = z
  .custom<number[]>(isVector, `must be a list of 1 to ${vectorLengthMax} finite numbers`)
  .meta({
    type: "array",
    items: { type: "number" },
    minItems: 1,
    maxItems: vectorLengthMax,
    description:
      "An embedding that /represent returned earlier. It must be as long as the embeddings of the model.",
  });

/** Returns whether `value` is a valid vector. A number of JSON may be infinite after parsing: 1e400 is. */
export function isVector(value: unknown): value is number[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= vectorLengthMax &&
    value.every(Number.isFinite)
  );
}
