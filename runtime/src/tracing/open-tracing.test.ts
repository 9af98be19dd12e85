// Covers ../otlp-config.ts, sdk.ts, span-starter.ts and tracing.ts too.
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { TraceFlags } from "@opentelemetry/api";
import { setEnvironment } from "../../testing/environment.ts";
import { readConfig } from "../config.ts";
import { type Log, openLog } from "../log.ts";
import { isSent, OtlpConfig } from "../otlp-config.ts";
import { newSpanId, newTraceId } from "../random.ts";
import { openTracing } from "./open-tracing.ts";
import type { Tracing } from "./tracing.ts";

// Nothing listens there, and nothing is exported in these tests.
const OTEL_EXPORTER_OTLP_ENDPOINT = "http://127.0.0.1:9";

test("spans are exported only where there is a receiver and nothing turns them off", () => {
  const isOn = (env: Record<string, string>) => isSent("TRACES", readConfig(OtlpConfig, env));
  assert.equal(isOn({}), false);
  assert.equal(isOn({ OTEL_EXPORTER_OTLP_ENDPOINT }), true);
  assert.equal(isOn({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: OTEL_EXPORTER_OTLP_ENDPOINT }), true);
  assert.equal(isOn({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: OTEL_EXPORTER_OTLP_ENDPOINT }), false);
  assert.equal(isOn({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: "true" }), false);
  assert.equal(isOn({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: "none" }), false);
  assert.equal(isOn({ OTEL_TRACES_EXPORTER: "zipkin" }), true);
});

test("a call records as OTEL_TRACES_SAMPLER says, and any other span always, also under given ids", async (t) => {
  await using tracing = await open(t, { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER: "always_off" });
  const call = tracing.startCall("call", Date.now(), sampledParent);
  assert.equal(call.isRecording(), false);
  const context = call.spanContext();
  assert.equal(context.traceId, sampledParent.traceId);
  const again = tracing.start("call", { startAt: Date.now(), context });
  assert.deepEqual([again.isRecording(), again.spanContext().spanId], [true, context.spanId]);
  assert.equal(again.spanContext().traceId, context.traceId);
  const other = tracing.start("other", { startAt: Date.now() });
  assert.notEqual(other.spanContext().traceId, context.traceId);
});

test("a sampler that does not exist is in the log", async (t) => {
  const warnings: unknown[] = [];
  const log = { warn: (fields: object) => void warnings.push(fields) } as unknown as Log;
  await using _tracing = await open(t, { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER: "some" }, log);
  assert.match(JSON.stringify(warnings), /unknown OTEL_TRACES_SAMPLER value/);
});

test("without a receiver a new trace is not marked as sampled, and a client's mark stays", async (t) => {
  await using tracing = await open(t, {});
  const flagsBelow = (parent?: typeof sampledParent) =>
    tracing.startCall("call", Date.now(), parent).spanContext().traceFlags;
  assert.deepEqual([flagsBelow(), flagsBelow(sampledParent)], [TraceFlags.NONE, TraceFlags.SAMPLED]);
  assert.equal(tracing.start("span", { startAt: Date.now(), parent: sampledParent }).isRecording(), false);
});

const sampledParent = { traceId: newTraceId(), spanId: newSpanId(), traceFlags: TraceFlags.SAMPLED };

function open(
  t: TestContext,
  env: Record<string, string>,
  log: Log = openLog("test", "silent"),
): Promise<Tracing> {
  setEnvironment(t, env);
  return openTracing({ config: readConfig(OtlpConfig, env), service: "test", id: "test-1", log });
}
