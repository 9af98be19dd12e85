import * as z from "zod";

/**
 * The variables of OpenTelemetry that decide which signals are sent. Its SDK reads more: sampler, queue,
 * intervals, headers, certificates, compression, timeouts, resource attributes.
 */
export const OtlpConfig = z.object({
  /** Receiver of every signal that has no endpoint of its own. Without one the SDK is not loaded. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.url().optional(),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: z.url().optional(),
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: z.url().optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.enum(["http/protobuf", "http/json", "grpc"]).default("http/protobuf"),
  OTEL_SDK_DISABLED: z.enum(["true", "false"]).default("false"),
  /** `zipkin`: to OTEL_EXPORTER_ZIPKIN_ENDPOINT. */
  OTEL_TRACES_EXPORTER: z.enum(["otlp", "zipkin", "none"]).default("otlp"),
  OTEL_METRICS_EXPORTER: z.enum(["otlp", "none"]).default("otlp"),
  /** Default `none`, not `otlp`: the lines on standard output are collected nearly everywhere. */
  OTEL_LOGS_EXPORTER: z.enum(["otlp", "none"]).default("none"),
});
export type OtlpConfig = z.infer<typeof OtlpConfig>;

/** Returns whether spans, metrics or log lines are to be sent. */
export function isSent(signal: "TRACES" | "METRICS" | "LOGS", config: OtlpConfig): boolean {
  const exporter = config[`OTEL_${signal}_EXPORTER`];
  if (config.OTEL_SDK_DISABLED === "true" || exporter === "none") return false;
  const endpoint = config[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] ?? config.OTEL_EXPORTER_OTLP_ENDPOINT;
  return exporter === "zipkin" || endpoint !== undefined;
}

/** Options with which a process opens a signal. */
export type OtlpOptions = {
  config: OtlpConfig;
  /** `ingress`: its resource is the service `faceline-ingress`. */
  service: string;
  /** Id of this process. */
  id: string;
};
