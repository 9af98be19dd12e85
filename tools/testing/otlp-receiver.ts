import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import protobuf from "protobufjs";

/**
 * A receiver of OTLP over HTTP that keeps the spans and log lines of all processes. It reads the protobuf
 * messages that services really send. `close` makes it refuse.
 */
export async function openOtlpReceiver(port = 0): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const logs: ReceivedLog[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const message = request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
      // Metrics go to the same endpoint.
      if (request.url === "/v1/traces") spans.push(...readSpans(message));
      if (request.url === "/v1/logs") logs.push(...readLogs(message));
      response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    spans,
    logs,
    traceOf: (traceparent) => spans.filter(({ traceId }) => traceparent?.includes(traceId)),
    close: () => close(server),
  };
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Returns the spans of one ExportTraceServiceRequest. */
export function readSpans(body: Buffer): ReceivedSpan[] {
  return (decode("ExportTraceServiceRequest", body)["resourceSpans"] as ResourceSpans[]).flatMap(
    ({ resource, scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) =>
        spans.map((span) => ({
          service: String(valuesOf(resource.attributes)["service.name"]),
          traceId: span.traceId.toString("hex"),
          spanId: span.spanId.toString("hex"),
          parentId: span.parentSpanId?.toString("hex") ?? "",
          tracestate: span.traceState ?? "",
          name: span.name,
          kind: span.kind ?? 0,
          startNs: BigInt(span.startTimeUnixNano),
          endNs: BigInt(span.endTimeUnixNano),
          attributes: valuesOf(span.attributes),
          links: (span.links ?? []).map((link) => link.spanId.toString("hex")),
          failed: span.status?.code === 2,
        })),
      ),
  );
}

/** Returns the records of one ExportLogsServiceRequest. */
export function readLogs(body: Buffer): ReceivedLog[] {
  return (decode("ExportLogsServiceRequest", body)["resourceLogs"] as ResourceLogs[]).flatMap(
    ({ resource, scopeLogs }) =>
      scopeLogs.flatMap(({ logRecords }) =>
        logRecords.map((record) => ({
          service: String(valuesOf(resource.attributes)["service.name"]),
          body: String(record.body.stringValue),
        })),
      ),
  );
}

function decode(name: string, body: Buffer): Record<string, unknown> {
  const request = messages.lookupType(name);
  return request.toObject(request.decode(body), { bytes: Buffer, longs: String });
}

function valuesOf(attributes: KeyValue[] = []): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [first] = Object.values(value);
      return [key, "intValue" in value ? Number(first) : first];
    }),
  );
}

/** The parts that are read of opentelemetry/proto/collector/{trace,logs}/v1 and their imports. */
const messages = protobuf.parse(`
  syntax = "proto3";
  message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4;
    string name = 5; int32 kind = 6; fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
    repeated KeyValue attributes = 9; repeated Link links = 13; Status status = 15;
  }
  message Link { bytes trace_id = 1; bytes span_id = 2; }
  message ExportLogsServiceRequest { repeated ResourceLogs resource_logs = 1; }
  message ResourceLogs { Resource resource = 1; repeated ScopeLogs scope_logs = 2; }
  message ScopeLogs { repeated LogRecord log_records = 2; }
  message LogRecord { AnyValue body = 5; }
  message Status { int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue {
    oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; }
  }
`).root;

type ResourceSpans = { resource: { attributes: KeyValue[] }; scopeSpans: { spans: WireSpan[] }[] };
type ResourceLogs = {
  resource: { attributes: KeyValue[] };
  scopeLogs: {
    logRecords: { body: { stringValue?: string } }[];
  }[];
};
type KeyValue = { key: string; value: Record<string, unknown> };
type WireSpan = {
  traceId: Buffer;
  spanId: Buffer;
  parentSpanId?: Buffer;
  traceState?: string;
  name: string;
  kind?: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes?: KeyValue[];
  links?: { spanId: Buffer }[];
  status?: { code?: number };
};

export type ReceivedSpan = {
  service: string;
  traceId: string;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentId: string;
  tracestate: string;
  name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number;
  startNs: bigint;
  endNs: bigint;
  attributes: Record<string, unknown>;
  /** Span ids. */
  links: string[];
  failed: boolean;
};

export type ReceivedLog = { service: string; body: string };

export type OtlpReceiver = {
  url: string;
  port: number;
  spans: ReceivedSpan[];
  logs: ReceivedLog[];
  /** The spans of the trace that a `traceparent` names. */
  traceOf(traceparent: string | null): ReceivedSpan[];
  close(): Promise<void>;
};
