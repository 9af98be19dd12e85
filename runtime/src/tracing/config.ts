import * as z from "zod";
import { OtlpConfig } from "../otlp-config.ts";

const count = (standard: number) => z.coerce.number().int().min(1).max(1_000_000).default(standard);

/**
 * The variables of OpenTelemetry that Faceline itself reads. Its packages read more: headers, certificates,
 * compression, timeouts, resource attributes.
 */
export const TracingConfig = z.object({
  ...OtlpConfig.shape,
  /** Receiver of spans. Without one nothing is traced and nothing of OpenTelemetry is loaded. */
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.url().optional(),
  OTEL_TRACES_EXPORTER: z.enum(["otlp", "none"]).default("otlp"),
  /** Choice of the calls that are traced. The ingress decides; batcher and workers follow. */
  OTEL_TRACES_SAMPLER: z
    .enum([
      "always_on",
      "always_off",
      "traceidratio",
      "parentbased_always_on",
      "parentbased_always_off",
      "parentbased_traceidratio",
    ])
    .default("parentbased_always_on"),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  /**
   * New traces that a process begins in a second, of those that the sampler takes; 0: not limited. A trace
   * that a client began is not counted.
   */
  TRACES_PER_SECOND_MAX: z.coerce.number().int().min(0).max(10_000).default(0),
  /** Spans that wait to be sent; further ones are dropped. */
  OTEL_BSP_MAX_QUEUE_SIZE: count(4_096),
  OTEL_BSP_SCHEDULE_DELAY: count(5_000),
});
export type TracingConfig = z.infer<typeof TracingConfig>;

/** Whether spans are to be exported. */
export const isTracingOn = (config: TracingConfig): boolean =>
  config.OTEL_SDK_DISABLED === "false" &&
  config.OTEL_TRACES_EXPORTER === "otlp" &&
  (config.OTEL_EXPORTER_OTLP_ENDPOINT ?? config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) !== undefined;
