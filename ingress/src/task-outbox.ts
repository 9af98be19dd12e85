import type { Producer } from "@faceline/runtime/kafka-producer";
import { ReplyTimeout } from "@faceline/runtime/reply-timeout";
import { Starved, starvedIn } from "@faceline/runtime/starvation";
import { tasksTopic } from "@faceline/contracts/wire/names";
import type { CallTasks } from "@faceline/contracts/wire/task";

/**
 * Sends tasks to the one partition of a pool's topic in Kafka. `send` throws when `requestMs` have passed in
 * which responses could be read, even while an earlier send hangs; and at once while no broker answers on the
 * connection that sends (circuit breaker: the producer connects anew and must prove itself, and the first
 * proof closes the circuit). The cause of an error is Starved where this process could hardly run meanwhile.
 */
export function openTaskOutbox({ producer, requestMs }: TaskOutboxParts): TaskOutbox {
  return {
    async send(pool, tasks) {
      if (!producer.isResponsive()) {
        const starvation = producer.starvation();
        if (starvation !== undefined) throw new Starved(starvation);
        throw new Error("Kafka is unreachable");
      }
      const { promise: timedOut, reject } = Promise.withResolvers<never>();
      using _timeout = new ReplyTimeout(requestMs, (spent) =>
        reject(new Error(`Kafka took longer than ${requestMs} ms`, { cause: starvedIn(spent) })),
      );
      await Promise.race([producer.send(tasksTopic(pool), 0, JSON.stringify(tasks)), timedOut]);
    },
  };
}

type TaskOutboxParts = {
  producer: Pick<Producer, "send" | "isResponsive" | "starvation">;
  requestMs: number;
};

export type TaskOutbox = { send(pool: string, tasks: CallTasks): Promise<void> };
