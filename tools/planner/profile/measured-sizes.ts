import type { Profile } from "./profile.ts";
import type { Trace } from "../trace/trace.ts";

/**
 * Throws a RangeError with a sentence for the operator if a trace has larger images than the profile was
 * measured with: how long they take to decode is not known. Smaller ones take less than the least that was
 * measured, so they cannot make a prediction wrong by more than that.
 */
export function requireMeasuredSizes({ columns }: Trace, { preparation }: Profile): void {
  const { measuredSizes } = preparation;
  if (measuredSizes === null) return;
  for (const unit of ["bytes", "pixels"] as const) {
    const [, most] = measuredSizes[unit];
    let [count, largest] = [0, 0];
    for (const size of columns[unit]) {
      if (size <= most) continue;
      count++;
      largest = Math.max(largest, size);
    }
    if (count === 0) continue;
    const of = `${count} of ${columns[unit].length} images`;
    throw new RangeError(
      `The trace has images of up to ${largest} ${unit}, and the profile was measured with up to ${most} ` +
        `(${of} are larger). Run npm run plan -- calibrate --images FOLDER with images that large.`,
    );
  }
}
