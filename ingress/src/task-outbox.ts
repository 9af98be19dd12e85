import type { Producer } from "@faceline/contracts/runtime/kafka";
import { tasksTopic } from "@faceline/contracts/wire/names";
import type { CallTasks } from "@faceline/contracts/wire/task";
import { Circuit } from "./circuit.ts";

/**
 * Tasks, to the one partition of a pool's topic. `send` throws after `requestMs` at the latest, also where it had to wait
 * for another send to fail; and at once while Kafka is known to be away.
 */
export function openTaskOutbox({ producer, reachable, requestMs }: TaskOutboxParts): TaskOutbox {
  const circuit = new Circuit(reachable);
  return {
    async send(pool, tasks) {
      if (circuit.open) throw new Error("Kafka is away");
      const { promise: late, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(() => reject(new Error(`Kafka took longer than ${requestMs} ms`)), requestMs);
      try {
        await Promise.race([producer.send(tasksTopic(pool), 0, JSON.stringify(tasks)), late]);
      } catch (error) {
        circuit.failed();
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
    [Symbol.dispose]: () => circuit[Symbol.dispose](),
  };
}

type TaskOutboxParts = {
  producer: Pick<Producer, "send">;
  /** Whether Kafka answers again, asked once something could not be sent. */
  reachable(): Promise<boolean>;
  requestMs: number;
};

export type TaskOutbox = Disposable & { send(pool: string, tasks: CallTasks): Promise<void> };
