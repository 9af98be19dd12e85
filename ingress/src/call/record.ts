import type { Span, SpanContext } from "@opentelemetry/api";
import type { RequestId } from "@faceline/contracts/http/response-fields";
import { newSpanId } from "@faceline/runtime/random";
import { Stopwatch } from "@faceline/runtime/starvation";
import type { Answer } from "@faceline/contracts/wire/answer";
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import type { TaskTiming } from "@faceline/contracts/wire/timing";
import type { ApiError } from "./api-error.ts";

/**
 * Record of one compute call, from its arrival to its response: what became of it, and where its time went.
 * The ingress measures its own steps here; the answer that the response waited for longest brings the rest.
 *
 *     admission ──► publish ──► (batcher and worker) ──► gather ──► response
 */
export class CallRecord {
  readonly requestId: RequestId;
  readonly route: string;
  readonly arrivedAt: number;
  readonly trace: CallTrace;
  readonly http: HttpProtocol;
  /** Whom the call is counted for; undefined for a call that the service makes itself. */
  tenant: string | undefined;
  /** Id of the API key that it came with, also of one that is refused; undefined without a known key. */
  keyId: string | undefined;
  lane: LaneId | undefined;
  pool: string | undefined;
  /** How long after its arrival the call must be answered; undefined if it was refused before. */
  deadlineMs: number | undefined;
  /** Number of images for workers. */
  images = 0;
  /** Their sizes; they are known before the call is admitted. */
  imageSizes: readonly { bytes: number; pixels: number }[] = [];
  error: ApiError | undefined;
  /** Cause of the error, only for operators. */
  cause: string | undefined;
  readonly #now: () => number;
  readonly #sinceArrival = new Stopwatch();
  readonly #steps = new Map<Step, Interval>();
  #answer: LastAnswer | undefined;

  #sendContext: SpanContext | undefined;

  constructor({ requestId, route, trace, http = plainHttp, now }: CallRecordParts) {
    this.requestId = requestId;
    this.http = http;
    this.route = route;
    this.trace = trace;
    this.#now = now;
    this.arrivedAt = now();
    this.#steps.set("admission", { from: this.arrivedAt });
  }

  begin(step: Step): void {
    this.#steps.set(step, { from: this.#now() });
  }

  /** Ends a step that has begun. Returns the instant. */
  end(step: Step): number {
    const now = this.#now();
    const interval = this.#steps.get(step);
    if (interval !== undefined) interval.until ??= now;
    return now;
  }

  /** An answer has come. The last one is what the response waited for. */
  answered({ outcome, timing }: Answer): void {
    const receivedAt = this.#now();
    // Without the faces, which the response alone may hold.
    this.#answer = { outcome: outcome.kind === "faces" ? facesOutcome : outcome, timing, receivedAt };
    this.#steps.set("gather", { from: receivedAt });
  }

  /** Whether this process has had too little CPU since the arrival: see Stopwatch. */
  get isStarved(): boolean {
    return this.#sinceArrival.isStarved;
  }

  interval(step: Step): Interval | undefined {
    return this.#steps.get(step);
  }

  /** The span that sends the tasks: the parent of what happens to them elsewhere. */
  get sendContext(): SpanContext {
    this.#sendContext ??= { ...this.trace.context, spanId: newSpanId() };
    return this.#sendContext;
  }

  /** The timing of the last answer; undefined without one. */
  get timing(): TaskTiming | undefined {
    return this.#answer?.timing;
  }

  /** How the task of the last answer ended; undefined without one. */
  get outcome(): LastAnswer["outcome"] | undefined {
    return this.#answer?.outcome;
  }

  /** How often the tasks of the last answer were sent to a worker. */
  get attempts(): number {
    return this.#answer?.timing.attempts ?? 0;
  }

  /**
   * Returns the parts of the time from the arrival of the request to `at`, in ms, in chronological order.
   * `unaccounted` is the rest: what no part measured, or slightly negative if clocks disagree.
   */
  parts(at: number): CallParts {
    const stepMs = (step: Step): number => {
      const interval = this.#steps.get(step);
      return interval === undefined ? 0 : (interval.until ?? at) - interval.from;
    };
    const { timing, receivedAt = 0 } = this.#answer ?? {};
    const lastHopMs = timing?.publishedAt === undefined ? 0 : receivedAt - timing.publishedAt;
    const parts = {
      admission: stepMs("admission"),
      publish: stepMs("publish"),
      hold: timing?.holdMs ?? 0,
      queue: timing?.queueMs ?? 0,
      retry: timing?.retryMs ?? 0,
      hop: (timing?.hopMs ?? 0) + lastHopMs,
      prepare: timing?.prepareMs ?? 0,
      run: timing?.runMs ?? 0,
      answer: timing?.answerMs ?? 0,
      gather: stepMs("gather"),
    };
    const total = at - this.arrivedAt;
    const measured = Object.values(parts).reduce((sum, ms) => sum + ms, 0);
    return { ...parts, unaccounted: total - measured, total };
  }
}

/**
 * `admission`: from the arrival until a pool was chosen: authentication, limits, body, images' headers.
 * `publish`: writing the images, until the tasks are handed to Kafka. `gather`: from the last answer to the
 * response. `images` and `send` are shown as spans: writing the images, and Kafka's acknowledgement of the
 * tasks.
 */
type Step = "admission" | "publish" | "images" | "send" | "gather";

/** Parts of the time of a call, in ms. docs/using/batching.md says what they mean. */
export type CallParts = Record<
  | "admission"
  | "publish"
  | "hold"
  | "queue"
  | "retry"
  | "hop"
  | "prepare"
  | "run"
  | "answer"
  | "gather"
  | "unaccounted"
  | "total",
  number
>;

const facesOutcome = { kind: "faces" } as const;

type HttpProtocol = { scheme: "http" | "https"; version: string };
const plainHttp: HttpProtocol = { scheme: "http", version: "1.1" };

type LastAnswer = {
  outcome: Exclude<Outcome, { kind: "faces" }> | typeof facesOutcome;
  timing: TaskTiming;
  receivedAt: number;
};

/** The span of the call, which records only if it is sampled, and the client's span above it. */
export type CallTrace = { span: Span; context: SpanContext; parent: SpanContext | undefined };

export type Interval = { from: number; until?: number };

type CallRecordParts = {
  requestId: RequestId;
  route: string;
  trace: CallTrace;
  /** Default: `http` 1.1. */
  http?: HttpProtocol;
  now: () => number;
};
