// Tested by fair-queue.test.ts, dear-tasks.test.ts and capacity/dear-pictures.sim.test.ts.
import type { BatchTask } from "@faceline/contracts/wire/batch";

/**
 * What a batch asks of the worker that prepares it: runs take time by `count`, preparation takes it by
 * `cost`.
 */
export type BatchLoad = {
  count: number;
  /** Sum of the costs of its tasks, see TaskCost. */
  cost: number;
  isDear: boolean;
};

/**
 * Whether a task is dear to prepare. A batch is answered when all of it was prepared, so dear tasks never
 * share a batch with others.
 */
export const isDear = ({ cost }: Pick<BatchTask, "cost">): boolean => cost >= dearCostMin;

/** Returns the load of these tasks, which are all dear or all not. */
export function loadOf(tasks: Pick<BatchTask, "cost">[]): BatchLoad {
  const cost = tasks.reduce((sum, task) => sum + task.cost, 0);
  return { count: tasks.length, cost, isDear: tasks.some(isDear) };
}

/** 100 ms on the reference machine: ten usual photographs, or one baseline JPEG of 20 megapixels. */
const dearCostMin = 10;

/**
 * Further dear tasks join a batch up to this cost: a batch of them occupies its worker for the sum of them.
 */
export const dearBatchCostMax = 32;
