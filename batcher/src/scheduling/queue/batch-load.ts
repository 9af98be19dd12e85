import type { BatchTask } from "@faceline/contracts/wire/batch";

/** Size of a batch: its run takes time by `count`, its preparation by `cost`. */
export type BatchLoad = {
  count: number;
  /** Sum of the costs of its tasks, see TaskCost. */
  cost: number;
  isHeavy: boolean;
};

/**
 * Whether a task is heavy to prepare. A batch is answered when all of it has been prepared, so heavy tasks
 * never share a batch with others.
 */
export const isHeavy = ({ cost }: Pick<BatchTask, "cost">): boolean => cost >= heavyCostMin;

/** Returns the load of these tasks, which are all heavy or all not. */
export function loadOf(tasks: Pick<BatchTask, "cost">[]): BatchLoad {
  const load: BatchLoad = { count: tasks.length, cost: 0, isHeavy: false };
  for (const task of tasks) addTask(load, task);
  return load;
}

/** Adds the cost of a task to a load that counts the task already. */
export function addTask(load: BatchLoad, task: Pick<BatchTask, "cost">): void {
  load.cost += task.cost;
  load.isHeavy ||= isHeavy(task);
}

/** 100 ms on the reference machine: ten usual photographs, or one baseline JPEG of 20 megapixels. */
const heavyCostMin = 10;

/**
 * Limit of the costs beyond 1 of all tasks of a batch, because a batch occupies its worker for their sum.
 * Tasks of cost 1 are not limited by it.
 */
export const extraCostMax = {
  /** While other tenants would wait for the batch: as much as the largest light task. */
  shared: heavyCostMin - 2,
  /** While nobody else would: several heavy tasks, because a worker decodes more than one at a time. */
  alone: 32,
};
