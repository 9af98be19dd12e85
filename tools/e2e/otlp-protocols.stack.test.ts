import assert from "node:assert/strict";
import test from "node:test";
import { portraits } from "@faceline/testing/faces";
import { openOtlpGrpcReceiver } from "@faceline/testing/otlp-grpc-receiver";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { startStack } from "./stack/stack.ts";

// http/protobuf is what tracing.stack.test.ts receives; runtime/src/metrics/sdk.test.ts has http/json.

const [img1, img2] = (await portraits()).map((each) => each.toString("base64"));
const services = ["faceline-batcher", "faceline-inference", "faceline-ingress"];

test("by gRPC the spans of all services arrive whole, and their metrics and log lines too", async (t) => {
  const receiver = await openOtlpGrpcReceiver();
  const starting = startStack(t, {
    settings: {
      ENGINE: "model:1+0b",
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
      OTEL_METRIC_EXPORT_INTERVAL: "1000",
      OTEL_LOGS_EXPORTER: "otlp",
    },
  });
  // Closed after the stack, which sends its last spans when it stops.
  const { post } = await starting.finally(() => t.after(() => receiver.close()));
  const { status, headers } = await post("/verify", { img1, img2 });
  assert.equal(status, 200);
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
  const ready = () => receiver.logs.filter(({ body }) => body === "ready").map(({ service }) => service);
  await waitUntil("log lines have arrived", () => new Set(ready()).size === services.length);
});

/** Whether the first span and those of both images have come; more where a batch was sent again. */
const isWhole = (names: string[]): boolean =>
  names.includes("POST /verify") && names.filter((name) => name === "infer").length >= 2;
