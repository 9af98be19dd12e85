import type { RequestId } from "@faceline/contracts/http/reply-fields";
import type { KeyRecord } from "@faceline/contracts/runtime/api-keys";
import type { Clock } from "@faceline/contracts/runtime/clock";
import type { TeamLimits } from "@faceline/contracts/stored/team";
import type { Answer } from "@faceline/contracts/wire/answer";
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import type { TaskOptions } from "@faceline/contracts/wire/task";
import type { Refusal } from "./refusal.ts";

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
  findKey(sha256: string): Promise<KeyRecord | null>;
  /**
   * Counts a call against the limits of its team, over all ingresses. Does not throw: while nobody can know, this
   * process counts alone.
   */
  enter(team: string, limits: TeamLimits): Promise<Entry>;
  /**
   * Asks for the claim on an `Idempotency-Key` of a team, for a call of this fingerprint. Throws a Refusal
   * `dependency_unavailable` while nobody can know.
   */
  claim(team: string, idempotencyKey: string, fingerprint: string): Promise<Standing>;
  /** The fresh ones only. */
  poolStates(): PoolState[];
  /** Must come back soon, whatever has happened to either. */
  checks(): Promise<{ kafka: boolean; redis: boolean }>;
  /** True once answers can be heard, until draining begins. */
  serving(): boolean;
  /** A bug of ours, for the log. The caller only learns the request id. */
  unexpected(error: unknown, requestId: RequestId): void;
};

/** A call that was counted. */
export type Entry = {
  /** Why it may not go on: `rate_limited`. */
  refusal?: Refusal;
  /** Absent where the team's rate is not limited. */
  rate?: Rate;
  /** Once the call has ended, however it did. A call that was refused holds nothing, and may be left too. */
  leave(): void;
};

/** How much of its rate a team has left. */
export type Rate = {
  /** Calls that it may send at once after a pause. */
  limit: number;
  /** Calls that it may send at once now. */
  remaining: number;
  /** Milliseconds until `remaining` would be `limit` again. */
  resetMs: number;
};

/** How it stands with an `Idempotency-Key`. */
export type Standing =
  /** Nobody had it: the call is the first. */
  | { kind: "claimed"; claim: Claim }
  /** The first call with it has not ended. */
  | { kind: "running" }
  | { kind: "kept"; answer: { status: number; type: string; body: string } }
  /** The first call has just ended, and its answer was not kept: too large, or too many bytes are. */
  | { kind: "unkept" }
  /** It was sent with another body, or to another path. */
  | { kind: "conflict" };

/** Ends once: with the first of these, and what comes after it does nothing. Neither throws. */
export type Claim = {
  keep(answer: { status: number; type: string; body: string }): Promise<void>;
  free(): Promise<void>;
};

export type FacesCall = {
  requestId: RequestId;
  tenant: string;
  lane: LaneId;
  options: TaskOptions;
  images: Buffer[];
  arrivedAt: number;
  /** Past this instant nobody is listening any more. */
  deadlineAt: number;
  traceparent: string;
  /** Aborts when the client hangs up before the reply. */
  signal: AbortSignal;
};
