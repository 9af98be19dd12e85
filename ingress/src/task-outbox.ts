import { tasksTopic } from "@faceline/contracts/names";
import type { Producer } from "@faceline/contracts/runtime/kafka";
import type { CallTasks } from "@faceline/contracts/task";

/** Tasks, to the one partition of a pool's topic. */
export type TaskOutbox = { send(pool: string, tasks: CallTasks): Promise<void> };

export const openTaskOutbox = (producer: Producer): TaskOutbox => ({
  send: (pool, tasks) => producer.send(tasksTopic(pool), 0, JSON.stringify(tasks)),
});
