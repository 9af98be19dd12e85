import * as z from "zod";
import { OtlpConfig } from "../otlp-config.ts";

/** The variables of OpenTelemetry that decide whether log lines are sent too. Its exporters read more. */
export const LogsConfig = z.object({
  ...OtlpConfig.shape,
  /** Receiver of log lines. Without one none are sent. */
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: z.url().optional(),
  /** Not `otlp`, as OpenTelemetry has it: the lines on standard output are collected nearly everywhere. */
  OTEL_LOGS_EXPORTER: z.enum(["otlp", "none"]).default("none"),
});
export type LogsConfig = z.infer<typeof LogsConfig>;

/** Whether log lines are to be sent. */
export const areLogsSent = (config: LogsConfig): boolean =>
  config.OTEL_SDK_DISABLED === "false" &&
  config.OTEL_LOGS_EXPORTER === "otlp" &&
  (config.OTEL_EXPORTER_OTLP_ENDPOINT ?? config.OTEL_EXPORTER_OTLP_LOGS_ENDPOINT) !== undefined;
