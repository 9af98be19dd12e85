import { isSent } from "../otlp-config.ts";
import { type Tracing, type TracingOptions, tracingOff } from "./tracing.ts";

/** Opens the export of spans, or returns one that does nothing: then the SDK is not loaded. */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  if (!isSent("TRACES", options.config)) return tracingOff;
  const { openSdk } = await import("./sdk.ts");
  return openSdk(options);
}
