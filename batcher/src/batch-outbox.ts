import type { Batch } from "@faceline/contracts/wire/batch";
import { batchesTopic } from "@faceline/contracts/wire/names";
import type { Producer } from "@faceline/runtime/kafka-producer";

/** Sends batches, each to the partition of the worker that it is meant for. */
export type BatchOutbox = { send(partition: number, batch: Batch): Promise<void> };

export const openBatchOutbox = (producer: Producer, pool: string): BatchOutbox => ({
  send: (partition, batch) => producer.send(batchesTopic(pool), partition, JSON.stringify(batch)),
});
