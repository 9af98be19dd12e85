import type { LabelledDistances } from "./labelled-pairs.ts";
import { formatNumber } from "./numbers.ts";

/** A scale of distances, drawn from left to right. All positions are shares of its width, from 0 to 1. */
export type DistanceScale = {
  /** The distance at its right end. */
  end: number;
  threshold: number;
  /** One for each distance, in the order given. */
  distances: number[];
  /** Positions of the labelled pairs. Those beyond the end are left out. */
  same: number[];
  different: number[];
  /** Round distances, for the axis. */
  ticks: { at: number; label: string }[];
  /** Labelled pairs of different people beyond the end. */
  differentBeyond: number;
};

/**
 * Returns the positions of distances on a scale that begins at 0 and holds twice the model's own threshold
 * and all of the distances. A threshold that is chosen on it does not change it, so that it stays still while
 * that moves; a larger one is its end.
 */
export function distanceScale(
  distances: number[],
  { own, chosen }: { own: number; chosen: number },
  labelled: LabelledDistances | undefined,
): DistanceScale {
  const end = Math.max(2 * own, chosen, ...distances.map((distance) => distance * margin)) || 1;
  const at = (distance: number): number => distance / end;
  const within = (all: number[]): number[] => all.filter((distance) => distance <= end).map(at);
  const step = roundStep(end / ticksWanted);
  const ticks = Array.from({ length: Math.floor(end / step + rounding) + 1 }, (_, index) => index * step);
  return {
    end,
    threshold: at(chosen),
    distances: distances.map(at),
    same: within(labelled?.same ?? []),
    different: within(labelled?.different ?? []),
    differentBeyond: (labelled?.different ?? []).filter((distance) => distance > end).length,
    ticks: ticks.map((distance) => ({
      at: at(distance),
      label: formatNumber(Number(distance.toPrecision(2))),
    })),
  };
}

/** The smallest of 1, 2, 5, 10, 20, … times a power of ten that is not below `step`. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= step * (1 - rounding))!;
}

/** Room to the right of the largest distance. */
const margin = 1.1;
const ticksWanted = 5;
const rounding = 1e-9;
