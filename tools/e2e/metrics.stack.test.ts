import assert from "node:assert/strict";
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { type MetricDefinition, type MetricName, metricList } from "@faceline/contracts/metrics/list";
import { prometheusName } from "@faceline/contracts/metrics/prometheus-name";
import { metricConventions } from "@faceline/testing/conventions";
import { portraits } from "@faceline/testing/faces";
import { openPrometheus } from "@faceline/deploy/testing/prometheus";
import { findPromtool } from "@faceline/deploy/testing/promtool";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { startStack, type TestStack } from "./stack/stack.ts";

test("after a load run every metric of the documents is on the pages, and nothing else", async (t) => {
  const stack = await startStack(t, { operators: true });
  await runLoad(stack);
  const service = (name: string) => name.replace(/-\d+$/, "");
  const pages = new Map<string, string>();
  for (const [name, port] of Object.entries(stack.operatorsPorts)) {
    const url = `http://127.0.0.1:${port}`;
    assert.equal((await fetch(`${url}/livez`)).status, 200);
    await waitUntil(`${name} is ready`, async () => (await (await fetch(`${url}/readyz`)).text()) === "ok\n");
    const expected = (Object.keys(metricList) as MetricName[])
      .filter((each) => (metricList[each] as MetricDefinition).services.some((one) => one === service(name)))
      .map(prometheusName)
      .concat("target_info")
      .filter((each) => each !== atFirstCollection);
    // Reports of the last batches may still be on their way.
    await waitUntil(`${name} shows every metric`, async () => {
      const page = await (await fetch(`${url}/metrics`)).text();
      pages.set(name, page);
      return expected.every((each) => namesOn(page).includes(each));
    });
    const shown = namesOn(pages.get(name)!).filter((each) => each !== atFirstCollection);
    assert.deepEqual(shown.toSorted(), expected.toSorted(), name);
    for (const [metric, { required }] of Object.entries(metricConventions)) {
      for (const line of pages
        .get(name)!
        .split("\n")
        .filter(isSeriesOf(metric as MetricName))) {
        const missing = required.filter((each) => !line.includes(`${each.replaceAll(".", "_")}="`));
        assert.deepEqual(missing, [], line);
      }
    }
    assert.doesNotMatch(pages.get(name)!, new RegExp(`${stack.key}|otel_metric_overflow`));
  }

  await t.test("Prometheus reads the pages as OpenMetrics, with the trace of a call", async (t) => {
    const prometheus = await openPrometheus(t, { targets: stack.operatorsPorts });
    if (prometheus === undefined)
      return t.skip("NOT CHECKED: there is no Prometheus, nor apt-get to fetch one");
    await waitUntil("every page was read", async () => {
      const up = await prometheus.query("up == 1");
      return up.length === Object.keys(stack.operatorsPorts).length;
    });
    const series = "http_server_request_duration_seconds_bucket";
    const search = new URLSearchParams({ query: series, start: "0", end: "4102444800" });
    await waitUntil("the trace is beside the durations", async () => {
      const response = await fetch(`${prometheus.address}/api/v1/query_exemplars?${search.toString()}`);
      return (await response.text()).includes(`"trace_id":"${traceId}"`);
    });
  });

  await t.test("promtool finds no fault", async (t) => {
    const promtool = await findPromtool();
    if (promtool === undefined) return t.skip("NOT CHECKED: there is no promtool, nor apt-get to fetch one");
    for (const [name, page] of pages) {
      const result: SpawnSyncReturns<string> = spawnSync(promtool, ["check", "metrics"], {
        input: page,
        encoding: "utf8",
      });
      assert.equal(result.status, 0, `${name}: ${result.stdout}${result.stderr}`);
    }
  });
});

test("without OTLP and operators' ports no service loads more of OpenTelemetry than its API", async (t) => {
  const loaded = mkdtempSync(join(process.env["FACELINE_TEST_RUN"] ?? tmpdir(), "loaded-"));
  const recorder = pathToFileURL(join(import.meta.dirname, "stack/record-modules.ts")).href;
  const stack = await startStack(t, {
    settings: { NODE_OPTIONS: `--import=${recorder}`, LOADED_MODULES: loaded },
  });
  await runLoad(stack);
  const files = readdirSync(loaded).map((file) => readFileSync(join(loaded, file), "utf8"));
  for (const service of ["ingress", "batcher", "inference"]) {
    const modules = files.filter((text) => text.includes(`/${service}/src/main.ts`));
    assert.equal(modules.length, 1, service);
    const [addresses] = modules.map((text) => text.split("\n"));
    assert.ok(addresses!.some((url) => url.includes("/node_modules/kafkajs/")));
    const sdk = addresses!.filter((url) => /@opentelemetry\/(?!api\/)/.test(url));
    assert.deepEqual(sdk, [], service);
  }
});

const atFirstCollection = prometheusName("v8js.gc.duration");
/** Trace id of a client that samples its request. */
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";

/** Calls that succeed and calls that fail. */
async function runLoad({ post }: TestStack): Promise<void> {
  const [img1, img2] = (await portraits()).map((image) => image.toString("base64"));
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  const calls = Array.from({ length: 10 }, () => post("/verify", { img1, img2 }, headers));
  assert.ok((await Promise.all(calls)).every(({ status }) => status === 200));
  assert.equal((await post("/verify", { img1: "no image", img2 })).status, 400);
}

const isSeriesOf = (metric: MetricName) => {
  const name = prometheusName(metric);
  return (line: string) =>
    line.startsWith(name) && /^(_bucket|_count|_sum)?[{ ]/.test(line.slice(name.length));
};

/** The metrics on a page, by their types. */
const namesOn = (page: string): string[] => [...page.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name!);
