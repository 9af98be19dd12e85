// The pool that simulations and the worked example of docs/developing/batching.md share.

import { lane, type Scenario } from "./scenario.ts";
import type { WorkerModel } from "./worker-model.ts";

/** One worker with an accelerator of `40 + 2b` ms: 307.7 tasks a second in batches of 32. */
const accelerator = (overrides: Partial<WorkerModel> = {}): WorkerModel => ({
  lane,
  partition: 0,
  alpha: 40,
  beta: 2,
  sizes: [1, 2, 4, 8, 16, 32],
  noise: 0.03,
  warmUpFactor: 1,
  prepare: { alpha: 0, beta: 0 },
  coldStartMs: 3_000,
  ...overrides,
});

export const workers = (count: number, overrides: Partial<WorkerModel> = {}): WorkerModel[] =>
  Array.from({ length: count }, (_, partition) => accelerator({ partition, ...overrides }));

export const hops: Scenario["hops"] = { intakeMs: 0, toWorkerMs: 3, reportMs: 3, replyMs: 3 };

/** Returns the most tasks a second that these workers can do. */
export const capacityOf = (models: WorkerModel[]): number =>
  models.reduce((sum, { alpha, beta, sizes }) => {
    const cycles = sizes.map((size) => size / (alpha + beta * size));
    return sum + 1_000 * Math.max(...cycles);
  }, 0);
