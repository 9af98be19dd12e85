import type { Producer } from "@faceline/contracts/runtime/kafka";
import { openConsumer, type ReadMessage } from "@faceline/contracts/runtime/kafka-consumer";
import type { Log } from "@faceline/contracts/runtime/log";
import { readMessage } from "@faceline/contracts/runtime/message";
import { Batch } from "@faceline/contracts/wire/batch";
import { batchesTopic, inferenceGroup } from "@faceline/contracts/wire/names";
import type { InferenceConfig } from "./config.ts";

/**
 * Reads the batches of the partitions that Kafka gives to this worker, and commits each on receipt: only the batcher
 * retries, and it notices when a batch is lost with its worker.
 */
export async function openBatchInbox(parts: BatchInboxParts): Promise<AsyncDisposable> {
  const { config, clientId, producer, log, take, assigned, lost } = parts;
  const topic = batchesTopic(config.POOL);

  const receive = (partition: number, { offset, value }: ReadMessage): void => {
    const read = readMessage(Batch, value);
    if (read.ok) {
      take(read.value);
      return;
    }
    log.error({ topic, partition, offset, reason: read.reason }, "a message could not be read");
    producer.deadLetter({ topic, partition, offset, reason: read.reason }).catch(() => {});
  };

  return openConsumer(config, {
    topic,
    group: inferenceGroup(config.POOL),
    clientId,
    log,
    onAssignment: assigned,
    onFatalError: lost,
    onMessages(partition, messages, commit) {
      for (const message of messages) receive(partition, message);
      const last = messages.at(-1);
      if (last !== undefined) commit(`${BigInt(last.offset) + 1n}`);
    },
  });
}

type BatchInboxParts = {
  config: InferenceConfig;
  clientId: string;
  producer: Producer;
  log: Log;
  take(batch: Batch): void;
  /** The partitions that this worker holds from now on. */
  assigned(partitions: number[]): void;
  /** Kafka cannot be read any more. */
  lost(error: Error): void;
};
