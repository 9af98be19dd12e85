/**
 * The sizes of the runs in which `count` rows take the shortest time, largest first. A network runs only at
 * the sizes that it was warmed up for, and padded rows cost as much as full ones. On a CPU three rows are
 * cheapest as two and one, on a GPU as four with one of them empty: the times of the warm runs decide, by
 * dynamic programming.
 */
export function chunksFor(count: number, sizes: readonly WarmSize[]): number[] {
  const largest = sizes.at(-1)!;
  const chunks: number[] = [];
  let left = count;
  // Above twice the largest size, no plan is better than filling a run of that size.
  for (; left > 2 * largest.size; left -= largest.size) chunks.push(largest.size);

  const plans: Plan[] = [{ runMs: 0, size: 0, before: 0 }];
  for (let rows = 1; rows <= left; rows++) {
    const choices = sizes.map(({ size, runMs }) => {
      const before = Math.max(0, rows - size);
      return { runMs: plans[before]!.runMs + runMs, size, before };
    });
    plans.push(choices.reduce((best, choice) => (choice.runMs < best.runMs ? choice : best)));
  }
  const last: number[] = [];
  for (let rows = left; rows > 0; rows = plans[rows]!.before) last.push(plans[rows]!.size);
  // Largest first, so that the padding is in the last and smallest run.
  return [...chunks, ...last.toSorted((a, b) => b - a)];
}

/** Milliseconds that `count` rows take, by the times of the warm runs. */
export function runMsOf(count: number, sizes: readonly WarmSize[]): number {
  const runMs = new Map(sizes.map((warm) => [warm.size, warm.runMs]));
  return chunksFor(count, sizes).reduce((sum, size) => sum + runMs.get(size)!, 0);
}

/** A size that a network was warmed for, and the ms of a warm run (warm-up-clock.ts). Sizes ascend. */
export type WarmSize = { size: number; runMs: number };

type Plan = { runMs: number; size: number; before: number };
