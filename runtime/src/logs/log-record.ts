import { type LogRecord, ROOT_CONTEXT, SeverityNumber, trace, TraceFlags } from "@opentelemetry/api";

/**
 * Returns a line of the log as a record of OpenTelemetry. It holds what the line does and nothing else; its
 * service and version are those of the resource. Lines have span ids only if the span is exported.
 */
export function logRecordOf(line: string): LogRecord {
  const { level, time, msg, service: _service, version: _version, ...fields } = JSON.parse(line) as LogLine;
  const { trace_id: traceId, span_id: spanId, ...attributes } = fields;
  const isInSpan = traceId !== undefined && spanId !== undefined;
  return {
    timestamp: Date.parse(time),
    severityText: level,
    severityNumber: severities[level],
    body: msg,
    attributes,
    ...(isInSpan && {
      context: trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED }),
    }),
  };
}

const severities = {
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
  fatal: SeverityNumber.FATAL,
};

type LogLine = {
  level: keyof typeof severities;
  time: string;
  msg: string;
  service: string;
  version: string;
  trace_id?: string;
  span_id?: string;
} & Record<string, NonNullable<LogRecord["attributes"]>[string]>;
