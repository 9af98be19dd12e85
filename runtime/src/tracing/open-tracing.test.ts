import assert from "node:assert/strict";
import test from "node:test";
import { readConfig } from "../config.ts";
import { openLog } from "../log.ts";
import { newTraceId } from "../random.ts";
import { isTracingOn, TracingConfig } from "./config.ts";
import { openTracing } from "./open-tracing.ts";
import type { Tracing } from "./tracing.ts";

// Nothing listens there, and nothing is exported in these tests.
const OTEL_EXPORTER_OTLP_ENDPOINT = "http://127.0.0.1:9";

test("spans are exported only where an endpoint is set and nothing turns them off", () => {
  const isOn = (env: Record<string, string>) => isTracingOn(readConfig(TracingConfig, env));
  assert.equal(isOn({}), false);
  assert.equal(isOn({ OTEL_EXPORTER_OTLP_ENDPOINT }), true);
  assert.equal(isOn({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: OTEL_EXPORTER_OTLP_ENDPOINT }), true);
  assert.equal(isOn({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: "true" }), false);
  assert.equal(isOn({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: "none" }), false);
});

test("the head decision: a ratio of new traces, always the same for one trace, and what a client decided", async () => {
  const sampler = { OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.25" };
  await using tracing = await open({ OTEL_EXPORTER_OTLP_ENDPOINT, ...sampler });
  const ids = Array.from({ length: 4_000 }, newTraceId);
  const sampled = ids.filter((id) => tracing.decide(id, undefined));
  assert.ok(Math.abs(sampled.length - 1_000) < 200, `${sampled.length} of 4,000`);
  assert.deepEqual(
    ids.filter((id) => tracing.decide(id, undefined)),
    sampled,
  );
  assert.deepEqual([tracing.decide(ids[0]!, true), tracing.decide(ids[0]!, false)], [true, false]);
});

test("no more new traces begin at once than TRACES_PER_SECOND_MAX; those of clients are not counted", async () => {
  await using tracing = await open({ OTEL_EXPORTER_OTLP_ENDPOINT, TRACES_PER_SECOND_MAX: "1" });
  const decide = (parent: boolean | undefined) => tracing.decide(newTraceId(), parent);
  assert.deepEqual([true, undefined].map(decide), [true, true]);
  assert.deepEqual([undefined, true, false].map(decide), [false, true, false]);
});

test("without an endpoint a new trace is not marked as sampled, and a client's mark stays", async () => {
  await using tracing = await open({});
  const id = newTraceId();
  assert.deepEqual(
    [undefined, true, false].map((parent) => tracing.decide(id, parent)),
    [false, true, false],
  );
});

const open = (env: Record<string, string>): Promise<Tracing> =>
  openTracing({
    config: readConfig(TracingConfig, env),
    service: "test",
    id: "test-1",
    log: openLog("test", "silent"),
  });
