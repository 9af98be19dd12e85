import { BatchLogRecordProcessor, LoggerProvider, type ReadableLogRecord } from "@opentelemetry/sdk-logs";
import { countFailures } from "../best-effort.ts";
import { type Log, writtenLines } from "../log.ts";
import type { OtlpOptions } from "../otlp-config.ts";
import { endInTime, OtlpDelivery } from "../otlp-delivery.ts";
import { openResource } from "../resource.ts";
import { logRecordOf } from "./log-record.ts";

/**
 * Sends every line of the log by OTLP too, until it is disposed of. Import this module only if lines are to
 * be sent: it loads OpenTelemetry's SDK.
 */
export async function openLogDelivery(options: OtlpOptions & { log: Log }): Promise<AsyncDisposable> {
  const { config, service, id, log } = options;
  const { OTLPLogExporter } = await exporters[config.OTEL_EXPORTER_OTLP_PROTOCOL]();
  const delivery = new OtlpDelivery<ReadableLogRecord>(new OTLPLogExporter(), {
    items: "log lines",
    waitingMax,
    log,
    onLost: (count) => countFailures("log_delivery", count),
  });
  const provider = new LoggerProvider({
    resource: await openResource({ service, id }),
    processors: [new BatchLogRecordProcessor({ exporter: delivery, maxQueueSize: waitingMax })],
  });
  const logger = provider.getLogger("faceline");
  const send = (line: unknown) => {
    if (delivery.admit()) logger.emit(logRecordOf(line as string));
  };
  writtenLines.subscribe(send);

  return {
    async [Symbol.asyncDispose]() {
      writtenLines.unsubscribe(send);
      await endInTime(() => provider.shutdown());
    },
  };
}

/** Lines that wait or are being sent. The standard; further ones are only on standard output. */
const waitingMax = 2_048;

const exporters = {
  "http/protobuf": () => import("@opentelemetry/exporter-logs-otlp-proto"),
  "http/json": () => import("@opentelemetry/exporter-logs-otlp-http"),
  grpc: () => import("@opentelemetry/exporter-logs-otlp-grpc"),
};
