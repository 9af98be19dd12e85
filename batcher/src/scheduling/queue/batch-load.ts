import type { BatchTask } from "@faceline/contracts/wire/batch";

/**
 * What a batch asks of the worker that prepares it: runs take time by `count`, preparation takes it by
 * `cost`.
 */
export type BatchLoad = {
  count: number;
  /** Sum of the costs of its tasks, see TaskCost. */
  cost: number;
  isHeavy: boolean;
};

/**
 * Whether a task is heavy to prepare. A batch is answered when all of it was prepared, so heavy tasks never
 * share a batch with others.
 */
export const isHeavy = ({ cost }: Pick<BatchTask, "cost">): boolean => cost >= heavyCostMin;

/** Returns the load of these tasks, which are all heavy or all not. */
export function loadOf(tasks: Pick<BatchTask, "cost">[]): BatchLoad {
  const load: BatchLoad = { count: tasks.length, cost: 0, isHeavy: false };
  for (const task of tasks) addTask(load, task);
  return load;
}

/** Counts the cost of a task of a load, not the task. */
export function addTask(load: BatchLoad, task: Pick<BatchTask, "cost">): void {
  load.cost += task.cost;
  load.isHeavy ||= isHeavy(task);
}

/** 100 ms on the reference machine: ten usual photographs, or one baseline JPEG of 20 megapixels. */
const heavyCostMin = 10;

/**
 * What the tasks of a batch may cost beyond 1 each, all together: a batch occupies its worker for the sum of
 * them. Tasks of cost 1 are not limited by it.
 */
export const extraCostMax = {
  /** Where other tenants would wait for it: as much as the largest task that is not heavy. */
  shared: heavyCostMin - 2,
  /** Where nobody else would: several heavy ones, because a worker decodes more than one at a time. */
  alone: 32,
};
