import type { Answer } from "@faceline/contracts/answer";
import type { ApiKey } from "@faceline/contracts/api-key";
import type { Lane, RequestId } from "@faceline/contracts/ids";
import type { PoolState } from "@faceline/contracts/pool";
import type { Clock } from "@faceline/contracts/runtime/clock";
import type { TaskOptions } from "@faceline/contracts/task";

/** What the HTTP side needs of the world. Functions, not transports: it knows neither Kafka nor Redis. */
export type Ports = {
  clock: Clock;
  /**
   * One answer for each image, in order. Throws a Refusal when the call cannot be served: `model_unavailable`,
   * `queue_full`, `queue_timeout`, `dependency_unavailable`, or `upstream_timeout` once the deadline has passed.
   * When `signal` aborts, nobody listens any more, and what it does then is not looked at.
   */
  findFaces(call: FacesCall): Promise<Answer[]>;
  /** Null: there is no such key. Throws a Refusal `dependency_unavailable` while nobody can know. */
  findKey(sha256: string): Promise<ApiKey | null>;
  /** The fresh ones only. */
  poolStates(): PoolState[];
  /** Must come back soon, whatever has happened to either. */
  checks(): Promise<{ kafka: boolean; redis: boolean }>;
  /** True once answers can be heard, until draining begins. */
  serving(): boolean;
  /** A bug of ours, for the log. The caller only learns the request id. */
  unexpected(error: unknown, requestId: RequestId): void;
};

export type FacesCall = {
  requestId: RequestId;
  tenant: string;
  lane: Lane;
  options: TaskOptions;
  images: Buffer[];
  arrivedAt: number;
  /** Past this instant nobody is listening any more. */
  deadlineAt: number;
  traceparent: string;
  /** Aborts when the client hangs up before the reply. */
  signal: AbortSignal;
};
