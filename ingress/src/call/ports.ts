import type { KeyRecord } from "@faceline/accounts/keys/api-keys";
import type { Clock } from "@faceline/runtime/clock";
import type { CallIds } from "@faceline/runtime/log-ids";
import type { Metrics } from "@faceline/runtime/metrics/metrics";
import type { Tracing } from "@faceline/runtime/tracing/tracing";
import type { TeamLimits } from "@faceline/contracts/stored/team";
import type { Answer } from "@faceline/contracts/wire/answer";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import type { CallTasks } from "@faceline/contracts/wire/task";
import type { CallMemory } from "../memory/call-memory.ts";
import type { ApiError } from "./api-error.ts";
import type { ClosedConnection } from "./closed-connection.ts";
import type { CallParts, CallRecord } from "./record.ts";
import type { OwnState } from "./refusal-cause.ts";

// Types only.

/**
 * Everything that the HTTP server needs from outside the process, as functions: the server knows neither
 * Kafka nor Redis, and tests pass functions of their own.
 */
export type Ports = {
  clock: Clock;
  /**
   * Sends the images of a call to the workers and returns one answer per image, in order. Throws an ApiError
   * if the call cannot be served: `model_unavailable`, `queue_full`, `queue_timeout`,
   * `dependency_unavailable`, or `upstream_timeout` once the deadline has passed. After `signal` aborts its
   * result is ignored.
   */
  dispatch(call: DispatchedCall): Promise<Answer[]>;
  /**
   * Returns the record of the API key with this SHA-256, or null if there is none. Throws
   * `dependency_unavailable` while the key store is unreachable.
   */
  findKey(sha256: string): Promise<KeyRecord | null>;
  /**
   * Counts a call against the limits of its team, over all ingress processes. Does not throw: while Redis is
   * unreachable, this process counts alone.
   */
  acquireTeamSlot(team: string, limits: TeamLimits): Promise<CallSlot>;
  /** The same for a call of the public tester, against the limits of its sender's address. */
  acquireVisitorSlot(address: string): Promise<CallSlot>;
  /** Against the limit of all addresses together, once the body of that call has come. */
  acquireSharedVisitorSlot(address: string): Promise<CallSlot>;
  /** The states of the pools that have reported lately. */
  poolStates(): PoolState[];
  /** What this process sees of Kafka and of both Redis servers. Calls are served without the durable one. */
  dependencyHealth(): Omit<OwnState, "isServing"> & { redisDurable: boolean };
  /** True until draining begins, after DRAIN_NOTICE_MS. */
  isServing(): boolean;
  /** The process must stop: load balancers should choose another one. It may still be serving. */
  isStopping(): boolean;
  /** Aborts shortly before the end of a drain: calls still in flight are refused with `not_ready`. */
  drainTimeout: AbortSignal;
  /** Starts the span of a call. */
  startSpan: Tracing["startCall"];
  /** Called once for each compute call, when its response was sent or its client has gone. */
  recordCall(call: EndedCall): void;
  metrics: Metrics;
  /** Called for a connection that was closed although its client did not ask for that. */
  reportClosedConnection(reason: ClosedConnection): void;
  /** Called when a connection had to make room for another one, and when there is room again. */
  reportConnectionsFull(isFull: boolean): void;
  /** Logs a bug of this service. The client learns only the request id. */
  reportBug(error: unknown, ids: CallIds): void;
};

/** The call as workers need it (see CallTasks), with its images and a signal for the client's disconnect. */
export type DispatchedCall = Omit<CallTasks, "call" | "tasks" | "ingress" | "sentAt"> & {
  record: CallRecord;
  images: Buffer[];
  /** Memory of the images. Code that may read them after the request has ended must hold it. */
  memory: CallMemory;
  /**
   * Aborts when the client disconnects before the response is sent, or when `drainTimeout` does. Its reason
   * is then the ApiError to respond with.
   */
  signal: AbortSignal;
};

/** A compute call that has ended. */
export type EndedCall = {
  record: CallRecord;
  /** Instant at which its response was ready, or its client left. */
  endedAt: number;
  parts: CallParts;
  /** Undefined: the client left before its response. */
  status: number | undefined;
};

/** A call that was counted. */
export type CallSlot = {
  /** Why the request is refused: `rate_limited`. */
  error?: ApiError;
  /** Absent if the rate is not limited. */
  rate?: RateLimitState;
  /** Must be called once the call has ended. Does nothing for a call that was refused. */
  release(): void;
};

/** How much of its rate limit a team or a visitor has left: the RateLimit headers. */
export type RateLimitState = {
  /** Calls that may be sent at once after a pause. */
  limit: number;
  /** Calls that may be sent at once now. */
  remaining: number;
  /** Milliseconds until `remaining` is `limit` again. */
  resetMs: number;
};
