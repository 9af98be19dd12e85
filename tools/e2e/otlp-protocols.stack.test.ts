import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { freePorts } from "@faceline/deploy/launcher/ports";
import { openObserveServer } from "@faceline/deploy/observe/viewers/observe-server";
import type { ZipkinSpan } from "@faceline/deploy/observe/viewers/zipkin-spans";
import { portraits } from "@faceline/testing/faces";
import { openOtlpGrpcReceiver } from "@faceline/testing/otlp-grpc-receiver";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { startStack } from "./stack/stack.ts";

// http/protobuf is what tracing.stack.test.ts receives.

const [img1, img2] = (await portraits()).map((each) => each.toString("base64"));
const services = ["faceline-batcher", "faceline-inference", "faceline-ingress"];

test("by gRPC the spans of all services arrive whole, and their metrics too", async (t) => {
  const receiver = await openOtlpGrpcReceiver();
  const headers = await verify(t, { ...receiver, protocol: "grpc" });
  const trace = () => receiver.spans.filter(({ traceId }) => headers.get("traceparent")!.includes(traceId));
  await waitUntil("the trace has arrived", () => isWhole(trace().map(({ name }) => name)));
  const ids = new Set(trace().map(({ spanId }) => spanId));
  const orphans = trace().filter(({ parentId }) => parentId !== "" && !ids.has(parentId));
  assert.deepEqual(orphans, []);
  assert.deepEqual([...new Set(trace().map(({ service }) => service))].toSorted(), services);
  const infer = trace().find(({ name }) => name === "infer")!;
  await waitUntil("its batch has arrived", () =>
    receiver.spans.some(({ spanId }) => spanId === infer.links[0]),
  );
  await waitUntil("metrics have arrived", () => receiver.metricRequests() >= services.length);
});

test("as JSON the spans of all services are taken by the server of --observe", async (t) => {
  const spans: ZipkinSpan[] = [];
  const [port = 0] = await freePorts(1);
  const server = await openObserveServer({
    port,
    queue: { add: (more) => spans.push(...more) > 0 },
    traceAddress: (traceId) => traceId,
    page: () => "",
    search: () => undefined,
  });
  const headers = await verify(t, {
    url: `http://127.0.0.1:${port}`,
    protocol: "http/json",
    close: () => server[Symbol.asyncDispose](),
  });
  const trace = () => spans.filter(({ traceId }) => headers.get("traceparent")!.includes(traceId));
  await waitUntil("the trace has arrived", () => isWhole(trace().map(({ name }) => name)));
  const served = new Set(trace().map(({ localEndpoint }) => localEndpoint.serviceName));
  assert.deepEqual([...served].toSorted(), services);
  const root = trace().find(({ parentId }) => parentId === undefined)!;
  assert.equal(root.tags["http.response.status_code"], "200");
  assert.ok(Number(root.tags["faceline.time.total_ms"]) > 0);
  const link = trace().find(({ name }) => name === "infer")!.tags["link.1"];
  await waitUntil("its batch has arrived", () => spans.some(({ traceId }) => traceId === link));
});

/** Returns the reply's headers of one /verify of services that send to this receiver. */
async function verify(t: TestContext, { url, protocol, close }: Receiver): Promise<Headers> {
  const starting = startStack(t, {
    settings: {
      ENGINE: "model:1+0b",
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_METRIC_EXPORT_INTERVAL: "1000",
    },
  });
  // Closed after the stack, which sends its last spans when it stops.
  const { post } = await starting.finally(() => t.after(() => close()));
  const { status, headers } = await post("/verify", { img1, img2 });
  assert.equal(status, 200);
  return headers;
}

/** Whether the first span and those of both images have come. */
const isWhole = (names: string[]): boolean =>
  names.includes("POST /verify") && names.filter((name) => name === "infer").length === 2;

type Receiver = { url: string; protocol: string; close(): unknown };
