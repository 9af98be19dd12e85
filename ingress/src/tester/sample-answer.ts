import { VerifyRequest } from "@faceline/contracts/http/verify";
import { traceparentOf } from "@faceline/runtime/tracing/trace-context";
import { laneId, visitorsTenant } from "@faceline/contracts/wire/ids";
import { readImage, type SampleName } from "@faceline/web/samples";
import type { StoredAnswer } from "@faceline/web/tester/response-body";
import { validate } from "../body/validate.ts";
import { ApiError } from "../call/api-error.ts";
import type { RequestContext } from "../call/context.ts";
import { CallRecord } from "../call/record.ts";
import { refusal } from "../call/refusal-cause.ts";
import { callTraceFrom, requestIdFrom } from "../call/request-headers.ts";
import { serverTiming } from "../call/server-timing.ts";
import type { RouteContext } from "../endpoints/endpoint.ts";
import { verify } from "../endpoints/verify.ts";
import { CallMemory } from "../memory/call-memory.ts";

/** The pair that the page shows first: one person. */
const samples = ["dia-1", "dia-2"] as const satisfies SampleName[];

/**
 * The answer for the first two sample images, computed by this service at the first request for it, and again
 * when another model or detector is the default, or the workers run another build of it. It is computed
 * twice, however many readers ask, each time like a request of the tester, and the second answer is kept. A
 * failure is not stored, but readers get it until the next attempt is allowed.
 */
export class SampleAnswerCache {
  readonly #context: RouteContext;
  #computed: { builds: string; answer: SampleAnswer } | undefined;
  #failed: { error: ApiError; retryAt: number } | undefined;
  #running: Promise<SampleAnswer> | undefined;

  constructor(context: RouteContext) {
    this.#context = context;
  }

  /** Throws the ApiError that a call gets now. */
  async read(): Promise<SampleAnswer> {
    const builds = this.#runningBuilds();
    if (this.#computed?.builds === builds) return this.#computed.answer;
    const leftMs = (this.#failed?.retryAt ?? 0) - this.#context.ports.clock.now();
    if (this.#failed !== undefined && leftMs > 0) throw withRetryAfter(this.#failed.error, leftMs);
    this.#running ??= this.#compute(builds).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #compute(builds: string): Promise<SampleAnswer> {
    const { ports } = this.#context;
    try {
      // The first request pays for cold caches, and a visitor would take its time for the usual one.
      await computeSampleAnswer(this.#context);
      const answer = await computeSampleAnswer(this.#context);
      // Something changed meanwhile: nobody can tell which of the two the answer is from.
      this.#computed = builds === this.#runningBuilds() ? { builds, answer } : undefined;
      this.#failed = undefined;
      return answer;
    } catch (thrown) {
      const error = thrown as ApiError;
      const pauseMs = Math.max(error.details.retryAfterMs ?? 0, pauseMinMs);
      this.#failed = { error, retryAt: ports.clock.now() + pauseMs };
      throw withRetryAfter(error, pauseMs);
    }
  }

  /** Names the default model and detector, and what live workers run for them. */
  #runningBuilds(): string {
    const { ports, models } = this.#context;
    const { defaultModel, defaultDetector } = models;
    const lane = laneId(defaultModel, defaultDetector);
    const states = ports.poolStates().flatMap(({ lanes }) => lanes);
    const live = states.filter((state) => state.lane === lane && state.workers > 0);
    const digests = new Set(live.map(({ build }) => build?.digest ?? ""));
    return [lane, ...[...digests].toSorted()].join(" ");
  }
}

/**
 * Makes the call that a visitor's page would make, POST /tester/verify, without HTTP around it. Throws only
 * an ApiError.
 */
async function computeSampleAnswer(context: RouteContext): Promise<SampleAnswer> {
  const { ports, settings } = context;
  if (!ports.isServing()) throw refusal("stopping");
  const now = () => ports.clock.now();
  const requestId = requestIdFrom(undefined, now());
  const trace = callTraceFrom({}, "/tester/verify", ports);
  const record = new CallRecord({ requestId, route: "/tester/verify", trace, now });
  record.deadlineMs = settings.DEADLINE_DEFAULT_MS;
  const call: RequestContext = {
    requestId,
    tenant: visitorsTenant,
    arrivedAt: record.arrivedAt,
    deadlineAt: record.arrivedAt + record.deadlineMs,
    traceparent: traceparentOf(trace.context),
    tracestate: undefined,
    signal: ports.drainTimeout,
    record,
    memory: new CallMemory(),
  };
  const end = (status: number): string => {
    const endedAt = now();
    ports.recordCall({ record, endedAt, parts: record.parts(endedAt), status });
    return serverTiming(record, endedAt);
  };
  try {
    const [img1, img2] = await Promise.all(samples.map(readImage));
    const response = await verify(context, call, validate(VerifyRequest, { img1, img2 }));
    const { model_name, detector_backend, distance_metric } = response;
    const request = { model_name, detector_backend, distance_metric };
    return { request, samples, response, timing: end(200) };
  } catch (thrown) {
    const error = thrown instanceof ApiError ? thrown : bug;
    if (error === bug) ports.reportBug(thrown, { request_id: requestId });
    record.error = error;
    end(error.status);
    throw error;
  }
}

const bug = new ApiError(
  "internal_error",
  "Something went wrong here. The log of the service has the reason.",
);

const withRetryAfter = (error: ApiError, retryAfterMs: number): ApiError =>
  new ApiError(error.code, error.message, { ...error.details, retryAfterMs });

/** Minimum time before a failed computation is retried. */
const pauseMinMs = 2_000;

type SampleAnswer = StoredAnswer & {
  /** The fields of the call besides the images. */
  request: Pick<VerifyRequest, "distance_metric"> & { model_name: string; detector_backend: string };
};
