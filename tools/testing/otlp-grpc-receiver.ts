import { createRequire } from "node:module";
import { type ReceivedLog, type ReceivedSpan, readLogs, readSpans } from "./otlp-receiver.ts";

/** A receiver of OTLP over gRPC that keeps spans and log lines, and counts the requests with metrics. */
export async function openOtlpGrpcReceiver(): Promise<OtlpGrpcReceiver> {
  const spans: ReceivedSpan[] = [];
  const logs: ReceivedLog[] = [];
  let metricRequests = 0;
  const server = new grpc.Server();
  server.addService(exportService("trace.v1.TraceService"), {
    export({ request }, done) {
      spans.push(...readSpans(request));
      done(null, Buffer.alloc(0));
    },
  });
  server.addService(exportService("logs.v1.LogsService"), {
    export({ request }, done) {
      logs.push(...readLogs(request));
      done(null, Buffer.alloc(0));
    },
  });
  server.addService(exportService("metrics.v1.MetricsService"), {
    export(_call, done) {
      metricRequests += 1;
      done(null, Buffer.alloc(0));
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    logs,
    metricRequests: () => metricRequests,
    close: () => server.forceShutdown(),
  };
}

/** The one method of the collector's services, with its messages as bytes. An empty response is valid. */
const exportService = (name: string) => ({
  export: {
    path: `/opentelemetry.proto.collector.${name}/Export`,
    requestStream: false,
    responseStream: false,
    requestSerialize: (bytes: Buffer) => bytes,
    requestDeserialize: (bytes: Buffer) => bytes,
    responseSerialize: (bytes: Buffer) => bytes,
    responseDeserialize: (bytes: Buffer) => bytes,
  },
});

/** gRPC's library comes with the exporter: Faceline itself does not need it. */
const grpc = createRequire(createRequire(import.meta.url).resolve("@opentelemetry/exporter-trace-otlp-grpc"))(
  "@grpc/grpc-js",
) as Grpc;

type Grpc = {
  Server: new () => {
    addService(
      service: ReturnType<typeof exportService>,
      methods: { export(call: { request: Buffer }, done: (error: null, response: Buffer) => void): void },
    ): void;
    bindAsync(address: string, credentials: unknown, done: (error: Error | null, port: number) => void): void;
    forceShutdown(): void;
  };
  ServerCredentials: { createInsecure(): unknown };
};

type OtlpGrpcReceiver = {
  url: string;
  spans: ReceivedSpan[];
  logs: ReceivedLog[];
  metricRequests(): number;
  close(): void;
};
