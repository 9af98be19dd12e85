import { TimeModel } from "@faceline/batcher/scheduling/estimates/time-model";
import type { UsefulSize } from "@faceline/contracts/stored/profile";
import type { RunSample } from "./lane-profile.ts";

/**
 * Returns the smallest size of which the samples show that it reaches 95 % of the best throughput, by run
 * times alone: the rule of the batcher (batcher/src/scheduling/capacity/batch-size.ts) over its own model of
 * them.
 *
 * A size counts as shown where the whole interval of its share is at or above 95 %. So where the samples
 * leave a smaller size undecided, the larger one is the answer: it loses no throughput, and costs latency
 * only while a backlog fills it.
 */
export function usefulSizeOf(samples: readonly RunSample[]): UsefulSize {
  const shares = throughputShares(samples);
  const size = shares.find(({ share, plusMinus }) => share - plusMinus >= usefulShare) ?? shares.at(-1)!;
  const undecided = shares.filter(
    (each) => each.size < size.size && each.share + each.plusMinus >= usefulShare,
  );
  return { size: size.size, undecided: undecided.map((each) => each.size) };
}

/**
 * Returns the throughput of each size as a share of the best one, with three standard errors, in the order of
 * sizes. A round has every size once, and the errors are those of whole rounds (the jackknife: Efron and
 * Stein, The Jackknife Estimate of Variance, 1981). So a drift of the machine, which changes all sizes of a
 * round alike, counts for nothing.
 */
export function throughputShares(samples: readonly RunSample[]): ThroughputShare[] {
  const alone = samples.filter(({ besides }) => besides === 0);
  const sizes = [...new Set(alone.map(({ size }) => size))].toSorted((a, b) => a - b);
  const rounds = [...Map.groupBy(alone, ({ round }) => round).values()].map((round) =>
    sizes.map((size) => meanOf(round.filter((each) => each.size === size).map(({ ms }) => ms))),
  );
  const sums = sizes.map((_, index) => sumOf(rounds.map((ms) => ms[index]!)));
  const shares = sharesOf(sizes, sums);
  if (rounds.length < 2) return sizes.map((size, index) => ({ size, share: shares[index]!, plusMinus: 1 }));
  const without = rounds.map((ms) =>
    sharesOf(
      sizes,
      sums.map((sum, index) => sum - ms[index]!),
    ),
  );
  return sizes.map((size, index) => {
    const left = without.map((each) => each[index]!);
    const mean = meanOf(left);
    const error = Math.sqrt((rounds.length - 1) * meanOf(left.map((each) => (each - mean) ** 2)));
    return { size, share: shares[index]!, plusMinus: errorsCounted * error };
  });
}

/** By the run times that a batcher expects after it has learned these; their unit does not matter. */
function sharesOf(sizes: readonly number[], times: readonly number[]): number[] {
  const model = new TimeModel(sizes.map((size, index) => ({ size, ms: times[index]! })));
  const throughputs = sizes.map((size) => size / model.meanMs(size));
  const best = Math.max(...throughputs);
  return throughputs.map((each) => each / best);
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0);
const meanOf = (values: readonly number[]): number => sumOf(values) / values.length;

/** As that of the batcher. */
const usefulShare = 0.95;
/** Standard errors of an interval: three, because a calibration looks at it several times. */
const errorsCounted = 3;

/** `share`, from 0 to 1, is known to `plusMinus`. */
type ThroughputShare = { size: number; share: number; plusMinus: number };
