import * as z from "zod";

/** Most points of a curve: it is stored in a file, and searched for every distance of a response. */
const pointsMax = 64;

/**
 * Distances of pairs of different people, by rank: `distances[i]` is the `ranks[i]`-th smallest of all
 * `pairs`. Equal distances have the rank of the last of them.
 */
export const FalseMatchCurve = z
  .strictObject({
    pairs: z.int().positive(),
    distances: z.array(z.number().nonnegative()).min(1).max(pointsMax).refine(ascend, "must ascend"),
    ranks: z.array(z.int().positive()).min(1).max(pointsMax).refine(ascend, "must ascend"),
  })
  .refine(({ pairs, distances, ranks }) => distances.length === ranks.length && ranks.at(-1) === pairs, {
    path: ["ranks"],
    error: "must be one for each distance, the last that of the largest",
  });
export type FalseMatchCurve = z.infer<typeof FalseMatchCurve>;

/** Distances, by cosine, of one image from the mean embedding of `count` images of another person. */
const ReferenceCurve = z.strictObject({ count: z.int().min(2), cosine: FalseMatchCurve });

/**
 * Curves by metric. Distances by euclidean_l2 follow from those by cosine. `references` are for several
 * references of one person, ascending by their count: a mean is nearer to everybody than one image is.
 */
export const FalseMatchCurves = z.strictObject({
  cosine: FalseMatchCurve,
  euclidean: FalseMatchCurve,
  references: z
    .array(ReferenceCurve)
    .refine((curves) => ascend(curves.map(({ count }) => count)), "must ascend by count")
    .optional(),
});
export type FalseMatchCurves = z.infer<typeof FalseMatchCurves>;

/**
 * Returns the curve of ascending distances: its points lie evenly by the logarithm of their rank up to the
 * median, because small rates are the ones that matter, and evenly by rank above it. Undefined without a
 * distance.
 */
export function falseMatchCurve(ascending: Ascending): FalseMatchCurve | undefined {
  const pairs = ascending.length;
  if (pairs === 0) return undefined;
  const median = Math.max(1, Math.floor(pairs / 2));
  const above = pointsMax - pointsToMedian;
  const wanted = [
    ...Array.from({ length: pointsToMedian }, (_, i) => median ** (i / (pointsToMedian - 1))),
    ...Array.from({ length: above }, (_, i) => median + ((pairs - median) * (i + 1)) / above),
  ];
  const points = new Map<number, number>();
  for (const rank of wanted.map(Math.round)) {
    const distance = Number(ascending.at(rank - 1)!.toFixed(decimals));
    points.set(distance, countUpTo(ascending, distance + 0.5 * 10 ** -decimals));
  }
  return { pairs, distances: [...points.keys()], ranks: [...points.values()] };
}

/**
 * Returns the function from a distance to the false match rate: the share of pairs of different people whose
 * distance is this small or smaller, in three significant digits.
 *
 * The r-th smallest of n distances stands for r / (n + 1), which is the mean of the share below it, whatever
 * the distribution: a pair of two people gets a rate of at most r / (n + 1) with that very probability.
 * Between two points the logarithm of the rate is linear. Below the smallest distance the rate is
 * 1 / (n + 1) and never 0, which no number of pairs can show.
 */
export function falseMatchRate({ pairs, distances, ranks }: FalseMatchCurve): (distance: number) => number {
  const at = Float64Array.from(distances);
  const logs = Float64Array.from(ranks, (rank) => Math.log(rank / (pairs + 1)));
  const least = threeDigits(1 / (pairs + 1));
  const most = threeDigits(pairs / (pairs + 1));
  return (distance) => {
    const next = countUpTo(at, distance);
    if (next === 0) return least;
    if (next === at.length) return most;
    const share = (distance - at[next - 1]!) / (at[next]! - at[next - 1]!);
    return threeDigits(Math.exp(logs[next - 1]! + share * (logs[next]! - logs[next - 1]!)));
  };
}

/** How many of the ascending values are at most `limit`. */
function countUpTo(values: Ascending, limit: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    // No bit shift: there may be more than 2^31 pairs.
    const middle = Math.floor((low + high) / 2);
    if (values.at(middle)! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Rounds as `toPrecision(3)` does, without a string in between: a response may have a thousand rates. */
function threeDigits(rate: number): number {
  const scale = 10 ** (2 - Math.floor(Math.log10(rate)));
  return Math.round(rate * scale) / scale;
}

function ascend(numbers: readonly number[]): boolean {
  return numbers.every((each, i) => i === 0 || each > numbers[i - 1]!);
}

/** Ascending distances: a list, or a view of counts. */
type Ascending = { length: number; at(index: number): number | undefined };

const pointsToMedian = 44;
/** Decimals of distances in responses. */
const decimals = 6;
