import type { Dependency } from "@faceline/contracts/http/dependency";
import { type ErrorCode, errorTable } from "@faceline/contracts/http/errors";

/**
 * A call that ends without its result: the code and the words that the client reads. Any step may throw it;
 * one error handler turns it into the response (RFC 9457). The detail never repeats anything that the client
 * sent.
 */
export class ApiError extends Error {
  override name = "ApiError";
  readonly code: ErrorCode;
  readonly details: ApiErrorDetails;

  constructor(code: ErrorCode, detail: string, details: ApiErrorDetails = {}) {
    super(detail);
    this.code = code;
    this.details = details;
  }

  /** The HTTP status of the response. */
  get status(): number {
    return errorTable[this.code].status;
  }
}

/** Why an ingress refuses a request under load, before its tasks are sent: like the batcher's reasons. */
export const ingressShedReasons = [
  "queue_too_long",
  "deadline_infeasible",
  "bodies_full",
  "images_full",
  "cpu_starved",
] as const;
type IngressShedReason = (typeof ingressShedReasons)[number];

type ApiErrorDetails = {
  /** The field at fault. */
  field?: string;
  /** The image or candidate at fault: its position in the request. */
  index?: number;
  /** What is missing; present with every `dependency_unavailable`. */
  dependency?: Dependency | undefined;
  /** Time after which a retry may succeed; present with every 429 and 503. */
  retryAfterMs?: number;
  /** Set if this process itself refuses a request under load. */
  shed?: IngressShedReason;
  /** Methods that the path accepts; present with a 405. */
  allow?: string[];
};

/**
 * Returns the value, or throws it if it is an ApiError. If one part of a request may fail alone (a candidate
 * of /compare), its error stays a value until the part is needed.
 */
export function orThrow<T>(part: T | ApiError): T {
  if (part instanceof ApiError) throw part;
  return part;
}

/** `Retry-After` if nothing more exact is known, in ms, by the reason of the error. */
export const retryAfterMs = {
  /** Kafka or Redis is unreachable: their clients reconnect in about this time. */
  dependency: 1_000,
  /**
   * A bound of this process is reached (bytes in flight, waiting header checks); calls take about this time.
   */
  capacity: 1_000,
  /** This process has too little CPU: four times as long, as its limits allow for. */
  starved: 4_000,
  /** This process starts or stops: a load balancer has found another one by then. */
  notServing: 1_000,
  /** No worker is alive: the launcher restarts one in about this time. */
  worker: 3_000,
} as const;

/**
 * The value of `Retry-After`: whole seconds, rounded up so that no client comes back too early; at least 1.
 */
export const retryAfterSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

export const cpuStarved = (): ApiError =>
  new ApiError("queue_full", "This server has too little CPU for its load: retry later.", {
    retryAfterMs: retryAfterMs.starved,
    shed: "cpu_starved",
  });

/** Returns the error of a request whose deadline has passed: it blames the load if that took the time. */
export const deadlinePassed = (isStarved: boolean): ApiError =>
  isStarved
    ? cpuStarved()
    : new ApiError("upstream_timeout", "The deadline passed before the response was ready.");

/** Returns the error for a bound of this process that is reached. */
export const capacityReached = (shed: IngressShedReason, detail: string): ApiError =>
  new ApiError("queue_full", detail, { retryAfterMs: retryAfterMs.capacity, shed });

/** Names one input of a call (an image or a vector) in errors. */
export type InputRef = {
  field: string;
  /** Position among the inputs. Absent if the call has one input. */
  index?: number;
  /** Name in a sentence: "img1", "candidate 3". */
  label: string;
};

/** Returns the reference of a field that holds one input. `img1` and `img2` have the indices 0 and 1. */
export function inputRef(field: string): InputRef {
  const index = ["img1", "img2"].indexOf(field);
  return index === -1 ? { field, label: field } : { field, index, label: field };
}

/** An ApiError about one input: `field` and `index` are the input's. */
export function inputError(ref: InputRef, code: ErrorCode, detail: string): ApiError {
  const { field, index } = ref;
  return new ApiError(code, detail, index === undefined ? { field } : { field, index });
}
