import type { Producer } from "@faceline/contracts/runtime/kafka";
import type { Batch } from "@faceline/contracts/wire/batch";
import { batchesTopic } from "@faceline/contracts/wire/names";

/** Batches, to the partition that the worker holds for which each is meant. */
export type BatchOutbox = { send(partition: number, batch: Batch): Promise<void> };

export const openBatchOutbox = (producer: Producer, pool: string): BatchOutbox => ({
  send: (partition, batch) => producer.send(batchesTopic(pool), partition, JSON.stringify(batch)),
});
