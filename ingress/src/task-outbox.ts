import type { Producer } from "@faceline/contracts/runtime/kafka-producer";
import { ReplyTimeout } from "@faceline/contracts/runtime/reply-timeout";
import { tasksTopic } from "@faceline/contracts/wire/names";
import type { CallTasks } from "@faceline/contracts/wire/task";

/**
 * Sends tasks to the one partition of a pool's topic in Kafka. `send` throws when `requestMs` have passed in
 * which replies could be read, even while an earlier send hangs; and at once while no broker answers on the
 * connection that sends (circuit breaker: the producer connects anew and must prove itself, and the first
 * proof closes the circuit).
 */
export function openTaskOutbox({ producer, requestMs }: TaskOutboxParts): TaskOutbox {
  return {
    async send(pool, tasks) {
      if (!producer.isProved()) throw new Error("Kafka is unreachable");
      const { promise: timedOut, reject } = Promise.withResolvers<never>();
      using _timeout = new ReplyTimeout(requestMs, () =>
        reject(new Error(`Kafka took longer than ${requestMs} ms`)),
      );
      await Promise.race([producer.send(tasksTopic(pool), 0, JSON.stringify(tasks)), timedOut]);
    },
  };
}

type TaskOutboxParts = { producer: Pick<Producer, "send" | "isProved">; requestMs: number };

export type TaskOutbox = { send(pool: string, tasks: CallTasks): Promise<void> };
