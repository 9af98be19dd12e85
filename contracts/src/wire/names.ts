import type { TaskId } from "./ids.ts";

/** Topics of Kafka. A pool is the unit of scaling: it has one tasks topic and one batches topic. */
export const tasksTopic = (pool: string): string => `faceline.tasks.${pool}`;
export const batchesTopic = (pool: string): string => `faceline.batches.${pool}`;
export const deadLetterTopic = "faceline.dead-letters";
/** A pool's batches topic has this many partitions, and a worker needs one of its own. */
export const poolWorkersMax = 16;

/** Consumer groups. Kafka assigns the single partition of a tasks topic to one batcher of the group. */
export const batcherGroup = (pool: string): string => `faceline.batcher.${pool}`;
export const inferenceGroup = (pool: string): string => `faceline.inference.${pool}`;

/** Keys of the volatile Redis; each is set with a TTL. */
export const imageKey = (task: TaskId): string => `image:${task}`;
/** An answer; once its ingress has it, only the build; an empty string if the request was cancelled. */
export const answerKey = (task: TaskId): string => `answer:${task}`;

/** Limits of a team: its token bucket, and the number of its calls in flight at each ingress. */
export const rateKeyPrefix = "rate";
export const inFlightKey = (team: string): string => `in-flight:${team}`;

/** Channels of the volatile Redis. */
export const answersChannel = (ingress: string): string => `answers:${ingress}`;
export const reportsChannel = (pool: string): string => `reports:${pool}`;
export const poolChannel = (pool: string): string => `pool:${pool}`;
export const cancelsChannel = (pool: string): string => `cancels:${pool}`;

/** Keys of the durable Redis. An API key is stored under its SHA-256, never in clear text. */
export const apiKeyKey = (sha256: string): string => `key:${sha256}`;
/** A hash: time of the last use of each API key, in epoch milliseconds, by the SHA-256 of the key. */
export const keysLastUsedKey = "keys-last-used";
/** A set: the SHA-256 of each API key of a team. */
export const teamKeysKey = (team: string): string => `team-keys:${team}`;
/** A set: every team that was given keys or limits. No team can have this name. */
export const teamsKey = "team-keys:~teams";
export const teamKey = (team: string): string => `team:${team}`;
/** A hash: who waits for approval, by mail address. */
export const waitlistKey = "waitlist";
/** When somebody was declined, for as long as operators should see it. */
export const declinedKey = (email: string): string => `declined:${email}`;
/** A person who was approved, and the set of all their mail addresses. */
export const personKey = (email: string): string => `person:${email}`;
export const peopleKey = "people";
/** Sign-in tokens and sessions are stored under their SHA-256; those of a person also as a set. */
export const signInKey = (sha256: string): string => `sign-in:${sha256}`;
export const signInsKey = (email: string): string => `sign-ins:${email}`;
export const sessionKey = (sha256: string): string => `session:${sha256}`;
export const sessionsKey = (email: string): string => `sessions:${email}`;
/** A stream: who changed what, and when. */
export const auditKey = "audit";
/**
 * Calls of a team, or of all callers, on a day (UTC): a hash with a field for each endpoint and outcome. And
 * those of every team on a day: a hash with a field for each team and kind of outcome.
 */
export const usageKey = (team: string, day: string): string => `usage:${team}:${day}`;
export const usageByTeamKey = (day: string): string => `usage-by-team:${day}`;
/** A list: the newest calls of a team that ended with this error code. */
export const recentErrorsKey = (team: string, code: string): string => `errors:${team}:${code}`;
/** A hash with the number of the last usage write of an ingress: a repeated write counts once. */
export const usageWrittenKey = (ingress: string): string => `usage-written:${ingress}`;

/** Channels of the durable Redis. */
export const keyChangesChannel = "keys";
