import type { Dependency } from "@faceline/contracts/http/dependency";
import type { ErrorCode } from "@faceline/contracts/http/errors";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import { ApiError, cpuStarved, retryAfterMs } from "./api-error.ts";

/**
 * Every cause for which the service can accept no request, with what the client reads. /health, /readyz,
 * metrics and log lines say the same. docs/operating/failures.md has the table.
 */
export const refusals = {
  stopping: {
    code: "not_ready",
    detail: "The process that received the request is starting or stopping.",
    retryAfterMs: retryAfterMs.notServing,
  },
  kafka: unavailable("kafka", "Kafka does not take work right now: retry shortly."),
  topic: unavailable("kafka", "Kafka lacks the topic for this work: retry later."),
  "redis-volatile": unavailable(
    "redis-volatile",
    "The volatile Redis cannot be used right now: retry shortly.",
  ),
  "redis-durable": unavailable(
    "redis-durable",
    "The durable Redis does not answer, so keys cannot be checked: retry shortly.",
  ),
  batcher: unavailable("batcher", "No batcher is active right now: retry shortly."),
  workers: {
    code: "model_unavailable",
    detail: "No worker has this model and detector loaded: retry shortly.",
    retryAfterMs: retryAfterMs.worker,
  },
} as const satisfies Record<string, Refusal>;

/**
 * Returns why no request that needs a worker can be dispatched: what this process notices itself takes
 * precedence over what pools report, and missing workers count only if nothing else stops them. `states` are
 * those of the pools that have reported lately, none of which has a worker for the request.
 */
export function refusalCause(own: OwnState, states: readonly PoolState[]): RefusalCause {
  const fault = ownFault(own);
  if (fault !== undefined) return fault;
  if (states.length === 0) {
    if (own.redisReturned === true) return "redis-volatile";
    return own.hasTopics ? "batcher" : "topic";
  }
  return states.find(({ blockedBy }) => blockedBy !== undefined)?.blockedBy ?? "workers";
}

/** Returns the error of a call that no pool takes: by its cause, or by the load if that hides the cause. */
export function dispatchRefusal(own: OwnState, states: readonly PoolState[]): ApiError {
  const cause = refusalCause(own, states);
  const isHidden = cause === "batcher" || cause === "topic";
  return isHidden && own.isStarved === true ? cpuStarved() : refusal(cause);
}

/** Returns why this process can dispatch no call, whatever the pools say; undefined if it can. */
export function ownFault({ isServing, kafka, redis }: OwnState): RefusalCause | undefined {
  if (!isServing) return "stopping";
  if (!kafka) return "kafka";
  return redis ? undefined : "redis-volatile";
}

/** Returns the error of a call that is refused for this cause. */
export function refusal(cause: RefusalCause): ApiError {
  const { code, detail, ...details } = refusals[cause];
  return new ApiError(code, detail, details);
}

/**
 * Returns the error for a failure of a server. `isStarved`: this process had too little CPU to tell whether
 * the server is at fault, so the error blames the load.
 */
export const dependencyUnavailable = (cause: Exclude<Dependency, "batcher">, isStarved: boolean): ApiError =>
  isStarved ? cpuStarved() : refusal(cause);

function unavailable<Name extends Dependency>(dependency: Name, detail: string) {
  const code = "dependency_unavailable";
  return { code, dependency, detail, retryAfterMs: retryAfterMs.dependency } as const;
}

export type RefusalCause = keyof typeof refusals;

type Refusal = { code: ErrorCode; detail: string; dependency?: Dependency; retryAfterMs: number };

/** What a process knows of itself, and of the servers that it uses. */
export type OwnState = {
  /** See `Ports.isServing`. */
  isServing: boolean;
  /** Whether Kafka has answered lately on the connections that send. */
  kafka: boolean;
  /** Whether the volatile Redis has answered lately on every connection that calls need. */
  redis: boolean;
  /** False once Kafka has said that a pool's topic of tasks does not exist. */
  hasTopics: boolean;
  /** The volatile Redis has just come back: states, which come through it, may not have arrived yet. */
  redisReturned?: boolean;
  /** This process has lost connections to them when it had too little CPU. */
  isStarved?: boolean;
};
