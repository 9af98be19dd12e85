import type { Producer } from "@faceline/runtime/kafka-producer";
import { isKafkaFault } from "@faceline/runtime/kafka-producer-link";
import { HangTimeout } from "@faceline/runtime/starvation";
import { tasksTopic } from "@faceline/contracts/wire/names";
import type { CallTasks } from "@faceline/contracts/wire/task";

/**
 * Sends tasks to the one partition of a pool's topic in Kafka. `send` throws SendFailed when `requestMs` have
 * passed in which responses could be read, even while an earlier send hangs; and at once while no broker
 * answers on the connection that sends (circuit breaker: the producer reconnects and must prove itself, and
 * the first proof closes the circuit).
 */
export function openTaskOutbox({ producer, requestMs }: TaskOutboxParts): TaskOutbox {
  return {
    async send(pool, tasks) {
      if (!producer.isResponsive()) throw new SendFailed("Kafka is unreachable", producer.isStarved());
      const { promise: timedOut, reject } = Promise.withResolvers<never>();
      using timeout = new HangTimeout(requestMs, () =>
        reject(new Error(`Kafka took longer than ${requestMs} ms`)),
      );
      try {
        await Promise.race([producer.send(tasksTopic(pool), 0, JSON.stringify(tasks)), timedOut]);
      } catch (error) {
        // A connection that is down knows more: the attempts to open it again may have been refused.
        const isStarved = producer.isResponsive()
          ? timeout.isStarved && !isKafkaFault(error)
          : producer.isStarved();
        throw new SendFailed((error as Error).message, isStarved);
      }
    },
  };
}

/** Kafka has not acknowledged tasks in time. */
export class SendFailed extends Error {
  /** Whether this process had too little CPU to tell whether Kafka is at fault. */
  readonly isStarved: boolean;

  constructor(message: string, isStarved: boolean) {
    super(message);
    this.isStarved = isStarved;
  }
}

type TaskOutboxParts = {
  producer: Pick<Producer, "send" | "isResponsive" | "isStarved">;
  requestMs: number;
};

export type TaskOutbox = { send(pool: string, tasks: CallTasks): Promise<void> };
