import {
  BatchLogRecordProcessor,
  LoggerProvider,
  type LogRecordExporter,
  type ReadableLogRecord,
} from "@opentelemetry/sdk-logs";
import { countFailures } from "../best-effort.ts";
import { writtenLines } from "../log.ts";
import { OtlpDelivery } from "../otlp-delivery.ts";
import { openResource } from "../resource.ts";
import type { LogsConfig } from "./config.ts";
import { logRecordOf } from "./log-record.ts";
import type { LogDeliveryOptions } from "./open-log-delivery.ts";

/** Opens the logs SDK. Only open-log-delivery.ts imports this module, and only if lines are to be sent. */
export async function openLogsSdk(options: LogDeliveryOptions): Promise<AsyncDisposable> {
  const { config, service, id, log } = options;
  const delivery = new OtlpDelivery<ReadableLogRecord>(await openExporter(config), {
    items: "log lines",
    waitingMax,
    log,
    now: () => performance.now(),
    onLost: (count) => countFailures("log_delivery", count),
  });
  const provider = new LoggerProvider({
    resource: await openResource({ service, id }),
    processors: [new BatchLogRecordProcessor({ exporter: delivery, maxQueueSize: waitingMax })],
  });
  const logger = provider.getLogger("faceline");
  const send = (line: unknown) => {
    if (delivery.admit(1) === 1) logger.emit(logRecordOf(line as string));
  };
  writtenLines.subscribe(send);

  return {
    async [Symbol.asyncDispose]() {
      writtenLines.unsubscribe(send);
      // A receiver that hangs must not keep the process.
      const timeUp = Promise.withResolvers<void>();
      const timer = setTimeout(timeUp.resolve, shutdownMs);
      await Promise.race([provider.shutdown().catch(() => {}), timeUp.promise]);
      clearTimeout(timer);
    },
  };
}

/** Lines that wait or are being sent. The standard; further ones are on standard output alone. */
const waitingMax = 2_048;
/** The time for the last lines at the end of a process. */
const shutdownMs = 2_000;

async function openExporter(config: LogsConfig): Promise<LogRecordExporter> {
  switch (config.OTEL_EXPORTER_OTLP_PROTOCOL) {
    case "http/protobuf": {
      const { OTLPLogExporter } = await import("@opentelemetry/exporter-logs-otlp-proto");
      return new OTLPLogExporter();
    }
    case "http/json": {
      const { OTLPLogExporter } = await import("@opentelemetry/exporter-logs-otlp-http");
      return new OTLPLogExporter();
    }
    case "grpc": {
      const { OTLPLogExporter } = await import("@opentelemetry/exporter-logs-otlp-grpc");
      return new OTLPLogExporter();
    }
  }
}
