import type { TaskId } from "./ids.ts";

/** Topics of Kafka. A pool is the unit of scale: it has one tasks topic and one batches topic. */
export const tasksTopic = (pool: string): string => `faceline.tasks.${pool}`;
export const batchesTopic = (pool: string): string => `faceline.batches.${pool}`;
export const deadLetterTopic = "faceline.dead-letters";

/** Consumer groups. Kafka gives the one partition of a tasks topic to exactly one batcher of the group. */
export const batcherGroup = (pool: string): string => `faceline.batcher.${pool}`;
export const inferenceGroup = (pool: string): string => `faceline.inference.${pool}`;

/** Keys of the volatile Redis; each is set with a TTL. */
export const imageKey = (task: TaskId): string => `image:${task}`;
export const answerKey = (task: TaskId): string => `answer:${task}`;

/** Of the limits of teams: the bucket of each, and the calls that each ingress has in flight for it. */
export const rateKeyPrefix = "rate";
export const inFlightKey = (team: string): string => `in-flight:${team}`;
/**
 * Of an `Idempotency-Key`, by its SHA-256; and the bytes of answers kept in one window of time, of a team or
 * of all.
 */
export const idempotencyRecordKey = (team: string, sha256: string): string => `idempotency:${team}:${sha256}`;
export const storedBytesKey = (whose: string, window: number): string => `stored-bytes:${whose}:${window}`;

/** Channels of the volatile Redis. */
export const answersChannel = (ingress: string): string => `answers:${ingress}`;
export const reportsChannel = (pool: string): string => `reports:${pool}`;
export const poolChannel = (pool: string): string => `pool:${pool}`;
export const cancelsChannel = (pool: string): string => `cancels:${pool}`;

/** Keys of the durable Redis. API keys are stored under the SHA-256 of the key, never as themselves. */
export const apiKeyKey = (sha256: string): string => `key:${sha256}`;
/** A hash: when each key was last used, in epoch milliseconds, by its SHA-256. */
export const keysLastUsedKey = "keys-last-used";
export const teamKey = (team: string): string => `team:${team}`;

/** Channel of the durable Redis. */
export const keyChangesChannel = "keys";
