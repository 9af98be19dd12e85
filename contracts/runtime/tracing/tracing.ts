import type { FinishedSpan } from "../../src/trace/span.ts";
import type { Log } from "../log.ts";
import { isTracingOn, type TracingConfig } from "./config.ts";

/**
 * Opens the export of spans, or returns one that does nothing: then nothing of OpenTelemetry is loaded. Spans
 * are made when all is over, from times that were measured anyway, so a call that is not sampled costs
 * nothing.
 */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  if (!isTracingOn(options.config)) return tracingOff;
  const { openSdk } = await import("./sdk.ts");
  return openSdk(options);
}

export const tracingOff: Tracing = {
  on: false,
  // Others may continue the trace, so it keeps the mark that it came with.
  decide: (_traceId, parentSampled = false) => parentSampled,
  export() {},
  lostSpans: 0,
  async [Symbol.asyncDispose]() {},
};

export type Tracing = AsyncDisposable & {
  readonly on: boolean;
  /** Whether a call's trace is exported. `parentSampled`: what its client decided; undefined without one. */
  decide(traceId: string, parentSampled: boolean | undefined): boolean;
  /** Hands spans over to be exported in the background. They are exported whether sampled or not. */
  export(spans: FinishedSpan[]): void;
  /** Spans that were handed over and could not be delivered. */
  readonly lostSpans: number;
};

export type TracingOptions = {
  config: TracingConfig;
  /** `ingress`: its spans are of the service `faceline-ingress`. */
  service: string;
  /** Id of this process. */
  id: string;
  log: Log;
};
