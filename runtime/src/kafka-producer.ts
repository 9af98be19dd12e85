import type { KafkaConfig } from "./kafka.ts";
import { flushLength, type Message, recordBatchBytesMax, recordBytes } from "./kafka-flush.ts";
import { LinkDown, ProducerLink } from "./kafka-producer-link.ts";

/**
 * Sends messages: one request in flight, and what comes meanwhile goes together in the next ones, each with
 * at most `recordBatchBytesMax` for a partition. Nothing lingers, so a lonely message leaves at once. `send`
 * resolves when all in-sync replicas have the message, and throws when Kafka cannot take it, when it alone is
 * larger than that, or when `waitingMax` messages already wait. `topics` are looked for with every probe.
 */
export async function openProducer(
  config: KafkaConfig,
  clientId: string,
  { topics = [], onSent = () => {} }: { topics?: string[]; onSent?: SendObserver | undefined } = {},
): Promise<Producer> {
  const link = await ProducerLink.open(config, clientId, { topics });
  const waiting: Waiting[] = [];
  let sending = false;

  const flush = async (): Promise<void> => {
    sending = true;
    // Messages of the same turn of the event loop join the first request.
    await Promise.resolve();
    while (waiting.length > 0) {
      const leaving = waiting.splice(0, flushLength(waiting));
      const topicMessages = [...Map.groupBy(leaving, (each) => each.topic)].map(([topic, messages]) => ({
        topic,
        messages: messages.map(({ partition, value, headers }) => ({ partition, value, headers })),
      }));
      const sentAt = performance.now();
      const observe = (error?: unknown) => {
        const durationMs = performance.now() - sentAt;
        for (const { topic, messages } of topicMessages) onSent(topic, messages.length, durationMs, error);
      };
      try {
        await link.send(topicMessages);
        observe();
        for (const each of leaving) each.resolve();
      } catch (error) {
        observe(error);
        // Waiting longer for a dead connection would not help.
        if (error instanceof LinkDown) leaving.push(...waiting.splice(0));
        for (const each of leaving) each.reject(error);
      }
    }
    sending = false;
  };

  const send: Producer["send"] = (topic, partition, value, headers = {}) => {
    if (waiting.length >= waitingMax) return Promise.reject(new Error("too many messages wait for Kafka"));
    const bytes = recordBytes({ value, headers });
    if (bytes > recordBatchBytesMax) {
      const fault = `a message for ${topic} has ${bytes} bytes, more than fit into a record batch`;
      return Promise.reject(new Error(`${fault} (${recordBatchBytesMax}): send it in smaller parts`));
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.push({ topic, partition, value, headers, bytes, resolve, reject });
    if (!sending) void flush();
    return promise;
  };

  return {
    send,
    isResponsive: () => link.isResponsive,
    isHealthy: () => link.isResponsive || link.isStarved,
    isStarved: () => link.isStarved,
    hasTopics: () => link.hasTopics,
    [Symbol.asyncDispose]: () => link[Symbol.asyncDispose](),
  };
}

const waitingMax = 10_000;

/** Called for each topic of a request that has ended. */
export type SendObserver = (topic: string, messages: number, durationMs: number, error?: unknown) => void;

export type Producer = AsyncDisposable & {
  send(
    topic: string,
    partition: number,
    value: string | null,
    headers?: Record<string, string>,
  ): Promise<void>;
  /** Whether a broker has answered lately on the connections that send. */
  isResponsive(): boolean;
  /** False while none has and they are to blame: for health and readiness. */
  isHealthy(): boolean;
  /** True while none has, and this process had too little CPU to tell whether that is their fault. */
  isStarved(): boolean;
  /** False once a broker has said that one of `topics` does not exist, until it is there. */
  hasTopics(): boolean;
};

type Waiting = Message & {
  resolve: () => void;
  reject: (error: unknown) => void;
};
