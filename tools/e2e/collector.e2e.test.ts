// Covers deploy/observe/collector.yaml.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import test, { type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { readConfig } from "@faceline/runtime/config";
import { tinyJpeg } from "@faceline/bench/images";
import { LauncherConfig } from "@faceline/deploy/launcher/settings";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { buildCollector, collectorConfig, startCollector, validateConfig } from "@faceline/testing/collector";
import {
  alertsFile,
  expressionsOf,
  panelsOf,
  readDashboards,
  readRules,
} from "@faceline/deploy/testing/observe-files";
import { openPrometheus } from "@faceline/deploy/testing/prometheus";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { startStack, type TestStack } from "./stack/stack.ts";

test("a Collector between keeps what was shed or retried, and a share of the rest", async (t) => {
  const program = await findCollector(t);
  if (program === undefined) return;
  await validateConfig(program, collectorConfig);
  await assert.rejects(
    validateConfig(program, collectorConfig, { COLLECTOR_TRACES_TO: "[nobody]" }),
    /nobody/,
  );

  const file = join(process.env["FACELINE_TEST_RUN"]!, "kept.ndjson");
  const collector = await startCollector(t, program, {
    COLLECTOR_TRACES_TO: "[file]",
    COLLECTOR_FILE: file,
    COLLECTOR_DECISION_WAIT: "5s",
    COLLECTOR_SLOW_MS: "60000",
  });
  const running = await startStack(t, {
    workers: 2,
    settings: {
      ENGINE: "model:150+1b",
      BATCH_MAX: "8",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: "100",
    },
  });
  const img = (await tinyJpeg()).toString("base64");
  const represent = () => running.post("/represent", { img });

  const plain = await inTurns(usualCalls / 20, () =>
    Promise.all(Array.from({ length: 20 }, () => represent())),
  );
  assert.ok(plain.every(({ status }) => status === 200));
  const retried = await retriedCalls(running, represent);
  const burst = await Promise.all(
    Array.from({ length: 150 }, () =>
      running.postOnce("/represent", { img }, { "x-request-timeout-ms": "700" }),
    ),
  );
  const shed = burst.filter(({ status }) => status === 503);
  assert.ok(shed.length > 0, "some calls were refused");

  const traces = () => (existsSync(file) ? keptTraces(readFileSync(file, "utf8")) : new Map<string, Kept>());
  const mustBeKept = [...shed, ...retried].map(traceIdOf);
  await waitUntil("what was shed or retried is kept", () => mustBeKept.every((id) => traces().has(id)));
  const kept = traces();
  const services = (id: string) => kept.get(id)!.services;
  assert.ok(
    retried.map(traceIdOf).every((id) => services(id).size === 3),
    "a retried call has all its spans",
  );

  // Of 400 traces 40 are expected, with a standard deviation of 6.
  const share = plain.map(traceIdOf).filter((id) => kept.has(id)).length;
  t.diagnostic(`kept: ${shed.length} shed, ${retried.length} retried, ${share} of ${plain.length} others`);
  assert.ok(share >= 10 && share <= 80, `${share} of ${plain.length} are kept`);

  const calls = () =>
    spanCalls(collector.page, 'service_name="faceline-ingress",span_name="POST /represent"');
  const all = plain.length + retried.length + burst.length;
  await waitUntil("span metrics count every call, kept or not", async () => (await calls()) >= all);
});

test("calls are counted once: scraped and sent at the same time, or sent alone", async (t) => {
  const program = await findCollector(t);
  if (program === undefined) return;
  const collector = await startCollector(t, program, { COLLECTOR_TRACES_TO: "[debug]" });
  const running = await startStack(t, {
    operators: true,
    workers: 2,
    batchers: 2,
    settings: {
      ENGINE: "model:10+1b",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_METRIC_EXPORT_INTERVAL: "1000",
    },
  });
  const rules = readFileSync(alertsFile, "utf8");
  const { page } = collector;
  const targets = running.operatorsPorts;
  const both = await openPrometheus(t, { targets, collector: { page, honorLabels: false }, rules });
  const sent = await openPrometheus(t, { targets: {}, collector: { page, honorLabels: true }, rules });
  if (both === undefined || sent === undefined) return t.skip("NOT TESTED: there is no Prometheus");

  const img = (await tinyJpeg()).toString("base64");
  const from = performance.now();
  const statuses: number[] = [];
  // The windows of a minute are filled.
  while (performance.now() - from < 75_000) {
    await sleep(150);
    statuses.push((await running.postOnce("/represent", { img })).status);
  }
  assert.ok(statuses.every((status) => status === 200));
  const rate = statuses.length / ((performance.now() - from) / 1_000);

  const panels = readDashboards().flatMap(panelsOf);
  const ofPanel = (name: string) => expressionsOf(panels.find(({ title }) => title === name)!)[0]!;
  const bad = readRules().find(({ record }) => record === "faceline:availability_bad:ratio_rate5m")!;
  const [, served = ""] = bad.expr.replaceAll("[5m]", "[1m]").split(" / ");
  for (const [name, { query }] of Object.entries({ both, sent })) {
    const value = async (expression: string) => Number((await query(expression))[0]?.value[1]);
    for (const expression of [ofPanel("Requests"), served]) {
      const seen = await value(expression);
      t.diagnostic(`${name}: ${seen.toFixed(2)} of ${rate.toFixed(2)} calls a second: ${expression}`);
      assert.ok(seen > rate * 0.8 && seen < rate * 1.2, expression);
    }
    assert.equal(await value(ofPanel("Active batchers")), 1, name);
    assert.equal(await value(ofPanel("Standby batchers")), 1, name);
    assert.equal(await value(ofPanel("Workers")), 2, name);
    assert.deepEqual(await query('ALERTS{alertstate="firing"}'), [], name);
    // Of any job: where both come, each call is there twice.
    const times = (await value("sum(rate(faceline_requests_total[1m]))")) / rate;
    assert.equal(Math.round(times), name === "both" ? 2 : 1, name);
    const calls = `sum(faceline_requests_total{job=~"faceline.*", http_route="/represent"})`;
    await waitUntil(
      `${name} has counted every call once`,
      async () => (await value(calls)) === statuses.length,
    );
  }
});

const usualCalls = 400;

/** Kills the worker that runs a call, until calls were retried. */
async function retriedCalls(running: TestStack, represent: () => Promise<Response>): Promise<Response[]> {
  for (let tries = 0; tries < 5; tries++) {
    const calls = Array.from({ length: 4 }, represent);
    running.services.find("inference-1").kill("SIGKILL");
    const responses = await Promise.all(calls);
    assert.ok(responses.every(({ status }) => status === 200));
    const retried = responses.filter(({ headers }) => retryMsOf(headers) > 0);
    if (retried.length > 0) return retried;
    await waitUntil("the worker is back", () => running.events.at(-1)?.includes("is back") ?? false);
  }
  throw new Error("no call was retried");
}

const retryMsOf = (headers: Headers): number =>
  Number(/retry;dur=([\d.]+)/.exec(headers.get("server-timing") ?? "")?.[1] ?? 0);

async function inTurns<T>(turns: number, work: () => Promise<T[]>): Promise<T[]> {
  const results: T[] = [];
  for (let turn = 0; turn < turns; turn++) results.push(...(await work()));
  return results;
}

const traceIdOf = ({ headers }: Pick<Response, "headers">): string =>
  headers.get("traceparent")!.split("-")[1]!;

/** Traces of a file of OTLP/JSON, by their id. */
function keptTraces(text: string): Map<string, Kept> {
  const traces = new Map<string, Kept>();
  // The last line may be half written.
  for (const line of text.split("\n").slice(0, -1)) {
    for (const { resource, scopeSpans } of (JSON.parse(line) as OtlpJson).resourceSpans) {
      const service = resource.attributes.find(({ key }) => key === "service.name")?.value.stringValue ?? "";
      for (const { traceId } of scopeSpans.flatMap(({ spans }) => spans)) {
        const known = traces.get(traceId);
        if (known === undefined) traces.set(traceId, { services: new Set([service]) });
        else known.services.add(service);
      }
    }
  }
  return traces;
}

/** Sum of the calls that the span metrics count with these labels. */
async function spanCalls(page: string, labels: string): Promise<number> {
  const text = await (await fetch(page)).text();
  const wanted = labels.split(",");
  const lines = text
    .split("\n")
    .filter((line) => line.startsWith("traces_span_metrics_calls_total{"))
    .filter((line) => wanted.every((label) => line.includes(label)));
  return lines.reduce(
    (sum, line) =>
      sum +
      Number(
        line
          .slice(line.lastIndexOf("}") + 1)
          .trim()
          .split(" ")[0],
      ),
    0,
  );
}

/** Skips the test where the Collector cannot be built here. */
async function findCollector(t: TestContext): Promise<string | undefined> {
  const folder = resolve(repository, readConfig(LauncherConfig, process.env).FACELINE_STATE);
  try {
    return await buildCollector(folder, t.signal);
  } catch (fault) {
    const [reason] = (fault as Error).message.split("\n");
    t.skip(`NOT TESTED: ${reason}`);
    return undefined;
  }
}

type Response = Awaited<ReturnType<TestStack["post"]>>;
type Kept = { services: Set<string> };
type OtlpJson = {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { spans: { traceId: string }[] }[];
  }[];
};
