import { ExportResultCode } from "@opentelemetry/core";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import type { Log } from "../log.ts";

/**
 * Returns the exporter with one warning when spans can no longer be delivered, and one line when they can
 * again. OpenTelemetry itself would write an error for each batch of spans.
 */
export function reportFailures(exporter: SpanExporter, log: Pick<Log, "warn" | "info">): SpanExporter {
  let lostSpans = 0;
  const report = (spans: number, error: Error | undefined): void => {
    if (error !== undefined) {
      if (lostSpans === 0) {
        log.warn({ reason: error.message.slice(0, reasonCharactersMax) }, "spans are not delivered");
      }
      lostSpans += spans;
    } else if (lostSpans > 0) {
      log.info({ lostSpans }, "spans are delivered again");
      lostSpans = 0;
    }
  };
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code === ExportResultCode.FAILED;
        report(spans.length, failed ? (result.error ?? new Error("no reason")) : undefined);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

const reasonCharactersMax = 200;
