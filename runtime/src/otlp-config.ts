import * as z from "zod";

/** The variables of OpenTelemetry that spans and metrics share. */
export const OtlpConfig = z.object({
  /** Receiver of spans and metrics, unless each has an endpoint of its own. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.enum(["http/protobuf", "http/json", "grpc"]).default("http/protobuf"),
  OTEL_SDK_DISABLED: z.enum(["true", "false"]).default("false"),
});
