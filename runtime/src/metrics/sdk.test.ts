// Covers open-metrics.ts, metrics.ts and page.ts too.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { registerHooks } from "node:module";
import { text } from "node:stream/consumers";
import test from "node:test";
import { type MetricName, metricList } from "@faceline/contracts/metrics/list";
import { prometheusName } from "@faceline/contracts/metrics/prometheus-name";
import { setEnvironment } from "../../testing/environment.ts";
import { readConfig } from "../config.ts";
import { type Log, openLog } from "../log.ts";
import { OtlpConfig } from "../otlp-config.ts";

const loaded: string[] = [];
registerHooks({
  load(url, context, nextLoad) {
    loaded.push(url);
    return nextLoad(url, context);
  },
});

// Imported after the hook, which then sees what it loads.
const { openMetrics } = await import("./open-metrics.ts");

test("nothing of OpenTelemetry is loaded where nobody gets the metrics", async () => {
  for (const env of [{}, { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_SDK_DISABLED: "true" }]) {
    await using metrics = await open({ page: false, env });
    metrics.add("faceline.requests", 1, { "http.route": "/verify", outcome: "ok", dependency: "none" });
    assert.equal(metrics.on, false);
  }
  assert.deepEqual(ofOpenTelemetry(), []);
});

test("the page has the names that a Collector makes, with the units of Prometheus", async () => {
  await using metrics = await open();
  metrics.record("faceline.run.duration", 0.02, { lane: "Dlib/ssd", bucket: 4 });
  metrics.add("faceline.tasks.shed", 2, { lane: "Dlib/ssd", reason: "early_drop" });
  metrics.observe("redis.memory.used", () => [[1_000, {}]]);
  metrics.observe("faceline.dead_letters", () => [[3, {}]]);
  const lines = (await metrics.page()).split("\n");
  for (const line of [
    'faceline_run_duration_seconds_sum{lane="Dlib/ssd",bucket="4"} 0.02',
    'faceline_run_duration_seconds_bucket{lane="Dlib/ssd",bucket="4",le="0.025"} 1',
    "# TYPE faceline_run_duration_seconds histogram",
    'faceline_tasks_shed_total{lane="Dlib/ssd",reason="early_drop"} 2',
    "redis_memory_used_bytes 1000",
    "faceline_dead_letters_total 3",
    "# TYPE target_info gauge",
  ]) {
    assert.ok(lines.includes(line), `${line} is missing in\n${lines.join("\n")}`);
  }
  assert.equal(ofOpenTelemetry().filter((url) => /sdk-node|sdk-trace|exporter-.*-otlp/.test(url)).length, 0);
});

test("every metric has a name of its own on the page, and tells its unit", () => {
  const names = (Object.keys(metricList) as MetricName[]).map(prometheusName);
  assert.equal(new Set(names).size, names.length);
  for (const name of names) assert.match(name, /^[a-z][a-z0-9_]*$/);
});

test("1,000 values of an attribute do not add a series beyond the limit", async () => {
  await using metrics = await open();
  for (let i = 0; i < 1_000; i++) {
    metrics.add("faceline.team.requests", 1, { class: `team ${i}`, limit: "kept" });
    metrics.record("faceline.queue.duration", 0.1, { lane: `lane ${i}` });
  }
  metrics.observe("faceline.queue.tasks", () =>
    Array.from({ length: 1_000 }, (_, i) => [i, { lane: `lane ${i}` }]),
  );
  const lines = (await metrics.page()).split("\n");
  const series = (start: string) => lines.filter((line) => line.startsWith(start));
  for (const name of ["faceline_team_requests_total{", "faceline_queue_duration_seconds_count{"]) {
    assert.equal(series(name).length, 200, name);
    const [overflow] = series(`${name}otel_metric_overflow="true"`);
    assert.equal(overflow?.split(" ").at(-1), "801");
  }
  assert.ok(series("faceline_queue_tasks{").length <= 200);
});

test("a receiver that refuses metrics costs one warning, and the last ones are sent at the end", async (t) => {
  const received = Promise.withResolvers<string>();
  let status = 400;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      response.writeHead(status, { "content-type": "application/json" }).end("{}");
      if (status === 200) received.resolve(`${request.url} ${body}`);
    });
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const lines: string[] = [];
  const refused = Promise.withResolvers<void>();
  const log = {
    warn: (_fields: unknown, line: string) => {
      lines.push(line);
      refused.resolve();
    },
    info: (line: string) => void lines.push(line),
  } as unknown as Log;
  {
    setEnvironment(t, {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_METRIC_EXPORT_INTERVAL: "1000",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    });
    await using metrics = await open({ page: false, env: process.env, log });
    metrics.add("faceline.batches", 1, { lane: "Dlib/ssd", reason: "full" });
    await refused.promise;
    status = 200;
  }
  const message = await received.promise;
  assert.deepEqual(lines, ["metrics are not delivered", "metrics are delivered again"]);
  assert.match(
    message,
    /^\/v1\/metrics .*"deployment\.environment\.name".*faceline-batcher.*"faceline\.batches"/,
  );
});

const ofOpenTelemetry = (): string[] => loaded.filter((url) => url.includes("opentelemetry"));

const open = ({ page = true, env = {}, log = openLog("test", "silent") }: OpenOptions = {}) =>
  openMetrics({ config: readConfig(OtlpConfig, env), page, service: "batcher", id: "batcher-1", log });

type OpenOptions = { page?: boolean; env?: NodeJS.ProcessEnv; log?: Log };
