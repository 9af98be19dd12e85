import { isTracingOn } from "./config.ts";
import { type Tracing, type TracingOptions, tracingOff } from "./tracing.ts";

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
