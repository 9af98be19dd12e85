import assert from "node:assert/strict";
import test from "node:test";
import { readConfig } from "../config.ts";
import { openLog } from "../log.ts";
import { OtlpConfig } from "../otlp-config.ts";
import { openMetrics } from "./open-metrics.ts";

const attributes = {
  "http.request.method": "POST",
  "url.scheme": "http",
  "http.route": "/verify",
  "http.response.status_code": 200,
};
const labels =
  'http_request_method="POST",url_scheme="http",http_route="/verify",http_response_status_code="200"';
const span = (digit: string) => ({ traceId: digit.repeat(32), spanId: digit.repeat(16) });

test("OpenMetrics: families without suffixes, bounds as floats, an end, and the last trace of each bucket", async () => {
  await using metrics = await open();
  const record = (seconds: number, digit?: string) =>
    metrics.record(
      "http.server.request.duration",
      seconds,
      attributes,
      digit === undefined ? undefined : span(digit),
    );
  record(0.7, "a");
  record(0.8, "b");
  record(0.9);
  record(60, "c");
  metrics.add("faceline.requests", 3, { "http.route": "/verify", outcome: "ok", dependency: "none" });
  metrics.observe("faceline.build_info", () => [[1, { version: "1.0.0", revision: "abc" }]]);
  const page = await metrics.page("openmetrics");
  const lines = page.split("\n");
  for (const line of [
    "# TYPE faceline_requests counter",
    'faceline_requests_total{http_route="/verify",outcome="ok",dependency="none"} 3',
    "# TYPE target info",
    "# TYPE faceline_build info",
    'faceline_build_info{version="1.0.0",revision="abc"} 1',
    `http_server_request_duration_seconds_bucket{${labels},le="0.5"} 0`,
  ]) {
    assert.ok(lines.includes(line), `${line} is missing in\n${page}`);
  }
  const bucket = (le: string) => {
    const start = `http_server_request_duration_seconds_bucket{${labels},le="${le}"} `;
    return lines.find((line) => line.startsWith(start))!.slice(start.length);
  };
  assert.match(bucket("1.0"), /^3 # \{trace_id="b{32}",span_id="b{16}"\} 0\.8 \d+\.\d{3}$/);
  assert.match(bucket("+Inf"), /^4 # \{trace_id="c{32}",span_id="c{16}"\} 60 \d+\.\d{3}$/);
  assert.ok(page.endsWith("\n# EOF\n"));
  assert.ok(!page.includes("\n\n"), "no line is empty");
  assert.ok(!(await metrics.page()).includes("trace_id"), "the other format knows no exemplars");
});

test("exemplars are bounded like the attribute sets of a metric", async () => {
  await using metrics = await open();
  for (let status = 0; status < 1_000; status++) {
    const ofStatus = { ...attributes, "http.response.status_code": status };
    metrics.record("http.server.request.duration", 0.1, ofStatus, span("a"));
  }
  const page = await metrics.page("openmetrics");
  assert.ok(page.match(/# \{trace_id=/g)!.length <= 200);
});

const open = () =>
  openMetrics({
    config: readConfig(OtlpConfig, {}),
    page: true,
    service: "ingress",
    id: "ingress-1",
    log: openLog("test", "silent"),
  });
