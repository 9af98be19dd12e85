import type { DeadLetters } from "@faceline/runtime/dead-letters";
import { type ConsumerObserver, openConsumer, type ReadMessage } from "@faceline/runtime/kafka-consumer";
import type { Log } from "@faceline/runtime/log";
import { readMessage } from "@faceline/runtime/message";
import { Batch } from "@faceline/contracts/wire/batch";
import { batchesTopic, inferenceGroup } from "@faceline/contracts/wire/names";
import type { InferenceConfig } from "./config.ts";

/**
 * Reads the batches of the partitions that Kafka assigns to this worker, and commits each on receipt: only
 * the batcher retries, and it notices when a batch is lost with its worker. An unreadable message goes to the
 * dead-letter topic. The end-to-end tests cover it.
 */
export async function openBatchInbox(parts: BatchInboxParts): Promise<AsyncDisposable> {
  const { config, clientId, deadLetters, log, onBatch, onPartitions, onResponsiveChange, onLost, observer } =
    parts;
  const topic = batchesTopic(config.POOL);

  const receive = (partition: number, { offset, value }: ReadMessage): void => {
    const read = readMessage(Batch, value);
    if (read.ok) {
      onBatch(read.value);
      return;
    }
    log.error({ topic, partition, offset, reason: read.reason }, "a message could not be read");
    deadLetters.record({ topic, partition: `${partition}`, offset, reason: read.reason });
  };

  let partitions: number[] = [];
  return openConsumer(config, {
    topic,
    group: inferenceGroup(config.POOL),
    clientId,
    log,
    observer,
    onAssignment(assigned) {
      partitions = assigned;
      onPartitions(partitions);
    },
    // A worker that Kafka does not answer gets no batch: the batcher sends them elsewhere.
    onResponsiveChange(isResponsive) {
      onPartitions(isResponsive ? partitions : []);
      onResponsiveChange(isResponsive);
    },
    onFatalError: onLost,
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
  deadLetters: Pick<DeadLetters, "record">;
  log: Log;
  observer?: ConsumerObserver | undefined;
  onBatch(batch: Batch): void;
  /** Called with the partitions that this worker holds from now on. */
  onPartitions(partitions: number[]): void;
  /** See ConsumerOptions. */
  onResponsiveChange(isResponsive: boolean): void;
  /** Called when Kafka cannot be read any more. */
  onLost(error: Error): void;
};
