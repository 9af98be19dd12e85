/**
 * Returns round values from `min` to `max`, about `count` of them, that a reader can count with: steps are 1,
 * 2 or 5 times a power of ten. Throws a RangeError unless `min < max` and both are finite.
 */
export function ticks(min: number, max: number, count = 5): number[] {
  if (!(Number.isFinite(min) && Number.isFinite(max) && min < max)) {
    throw new RangeError(`An axis cannot go from ${min} to ${max}.`);
  }
  const rough = (max - min) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough)!;
  const first = Math.ceil(min / step);
  const last = Math.floor(max / step + 1e-9);
  // Multiplied, not added up, and freed of the error of binary fractions: 0.3, not 0.30000000000000004.
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** Returns a function that maps `from` (values) linearly onto `to` (pixels); outside it continues. */
export function linearScale(from: Range, to: Range): (value: number) => number {
  const factor = (to[1] - to[0]) / (from[1] - from[0]);
  return (value) => to[0] + (value - from[0]) * factor;
}

type Range = readonly [start: number, end: number];
