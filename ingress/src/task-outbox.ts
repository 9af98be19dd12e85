import type { Producer } from "@faceline/contracts/runtime/kafka";
import { tasksTopic } from "@faceline/contracts/wire/names";
import type { CallTasks } from "@faceline/contracts/wire/task";
import { CircuitBreaker } from "./circuit-breaker.ts";

/**
 * Sends tasks to the one partition of a pool's topic in Kafka. `send` throws after `requestMs` at the latest,
 * even while an earlier send hangs; and at once while Kafka is known to be unreachable.
 */
export function openTaskOutbox({ producer, isReachable, requestMs }: TaskOutboxParts): TaskOutbox {
  const breaker = new CircuitBreaker(isReachable);
  return {
    async send(pool, tasks) {
      if (breaker.isOpen) throw new Error("Kafka is unreachable");
      const { promise: timedOut, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(() => reject(new Error(`Kafka took longer than ${requestMs} ms`)), requestMs);
      try {
        await Promise.race([producer.send(tasksTopic(pool), 0, JSON.stringify(tasks)), timedOut]);
      } catch (error) {
        breaker.recordFailure();
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
    [Symbol.dispose]: () => breaker[Symbol.dispose](),
  };
}

type TaskOutboxParts = {
  producer: Pick<Producer, "send">;
  /** Probes Kafka. Called only after a send has failed; resolves in bounded time and does not throw. */
  isReachable(): Promise<boolean>;
  requestMs: number;
};

export type TaskOutbox = Disposable & { send(pool: string, tasks: CallTasks): Promise<void> };
