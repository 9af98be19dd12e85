import type { FinishedSpan } from "@faceline/contracts/trace/span";
import type { Log } from "../log.ts";
import type { TracingConfig } from "./config.ts";

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
