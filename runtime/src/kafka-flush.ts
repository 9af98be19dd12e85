/**
 * The most bytes of one record batch: what one request carries for one partition. The broker refuses a
 * larger batch whole, so it must be below `max.message.bytes` of the topics, which is 1 MiB
 * (pool-topics.ts).
 */
export const recordBatchBytesMax = 900_000;

/** Bytes of the record around a value, rounded up: lengths, offset, timestamp. */
const recordOverheadBytes = 64;
const headerOverheadBytes = 16;

/** Bytes that a message takes in a record batch, at most. */
export function recordBytes({ value, headers }: Pick<Message, "value" | "headers">): number {
  let bytes = recordOverheadBytes + Buffer.byteLength(value ?? "");
  for (const [name, header] of Object.entries(headers)) {
    bytes += headerOverheadBytes + Buffer.byteLength(name) + Buffer.byteLength(header);
  }
  return bytes;
}

/**
 * Returns how many of the waiting messages go together in the next request: as many, in their order, as keep
 * the record batch of every partition within `recordBatchBytesMax`. At least 1, unless none wait.
 */
export function flushLength(waiting: readonly Message[]): number {
  const bytesByPartition = new Map<string, number>();
  for (const [index, { topic, partition, bytes }] of waiting.entries()) {
    const key = `${topic}/${partition}`;
    const sum = (bytesByPartition.get(key) ?? 0) + bytes;
    if (sum > recordBatchBytesMax && index > 0) return index;
    bytesByPartition.set(key, sum);
  }
  return waiting.length;
}

export type Message = {
  topic: string;
  partition: number;
  value: string | null;
  headers: Record<string, string>;
  /** Size by `recordBytes`. */
  bytes: number;
};
