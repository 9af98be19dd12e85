import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import test from "node:test";
import { readConfig } from "@faceline/runtime/config";
import { openLog } from "@faceline/runtime/log";
import { OtlpConfig } from "@faceline/runtime/otlp-config";
import type { Metrics } from "@faceline/runtime/metrics/metrics";
import { openMetrics } from "@faceline/runtime/metrics/open-metrics";
import type { TeamLimits } from "@faceline/contracts/stored/team";
import { base64Image, testKey, testKeyRecord, testPool, testServer, waitUntil } from "../testing/server.ts";
import { ApiError, capacityReached } from "./call/api-error.ts";
import { countCallers } from "./request-metrics.ts";

test("each request is recorded by its route and outcome, and what a client makes up is not", async (t) => {
  const { metrics, values } = recordedMetrics();
  const { app } = testServer(t, { metrics });
  const address = await app.listen({ host: "127.0.0.1", port: 0 });
  const post = { method: "POST", headers: { "x-api-key": testKey, "content-type": "application/json" } };
  const send = async (path: string, init: RequestInit) =>
    (await fetch(`${address}${path}`, init)).arrayBuffer();
  await send("/represent", { ...post, body: JSON.stringify({ img: await base64Image() }) });
  await send("/represent?made=up", { ...post, body: JSON.stringify({ img: "no image: %" }) });
  await send("/made/up", { ...post, body: "{}" });
  await send("/livez", {});
  await send("/verify", { method: "REPORT" });
  // A response counts when it is closed, which its client may notice first.
  await app.close();
  assert.deepEqual(values("faceline.requests"), [
    { "http.route": "/represent", outcome: "ok", dependency: "none" },
    { "http.route": "/represent", outcome: "invalid_image", dependency: "none" },
    { "http.route": "other", outcome: "not_found", dependency: "none" },
    { "http.route": "/livez", outcome: "ok", dependency: "none" },
    { "http.route": "other", outcome: "method_not_allowed", dependency: "none" },
  ]);
  const durations = values("http.server.request.duration");
  assert.deepEqual(durations.at(0), {
    "http.request.method": "POST",
    "url.scheme": "http",
    "http.route": "/represent",
    "http.response.status_code": 200,
  });
  assert.equal(durations.at(-1)!["http.request.method"], "_OTHER");
});

test("requests are counted by the class of their callers and whether a limit was reached, never by team", async () => {
  const { metrics, values } = recordedMetrics();
  const error = new ApiError("rate_limited", "too many");
  const acquire = countCallers(
    async (team: string, _limits: TeamLimits) => ({ release() {}, ...(team === "ants" ? { error } : {}) }),
    metrics,
    "team",
  );
  const limits = { requestsPerSecond: 1, requestsBurst: 1, inFlightMax: 1, bodyBytesPerSecond: 1 };
  assert.equal((await acquire("ants", limits)).error, error);
  await acquire("bees", limits);
  assert.deepEqual(values("faceline.team.requests"), [
    { class: "team", limit: "reached" },
    { class: "team", limit: "kept" },
  ]);
});

test("a visitor who is refused for another reason than a limit counts as one who kept it", async () => {
  const { metrics, values } = recordedMetrics();
  const error = new ApiError("dependency_unavailable", "Redis is away");
  await countCallers(async (_address: string) => ({ error, release() {} }), metrics, "visitor")("192.0.2.1");
  assert.deepEqual(values("faceline.team.requests"), [{ class: "visitor", limit: "kept" }]);
});

test("calls that this process sheds on arrival count as tasks of their lane, by reason", async (t) => {
  await using page = await openPage();
  const img = await base64Image();
  const { post } = testServer(t, {
    metrics: page.metrics,
    settings: { BODY_BYTES_MAX: "70000", BODIES_IN_FLIGHT_BYTES_MAX: "70000" },
    poolStates: () => [
      { ...testPool, lanes: testPool.lanes.map((lane) => ({ ...lane, expectedWaitMs: 9e6 })) },
    ],
    async dispatch({ record, images }) {
      record.images = images.length;
      throw capacityReached("images_full", "Too many.");
    },
  });
  assert.equal((await post("/represent", { img })).json().error, "queue_timeout");
  assert.equal((await post("/verify", { img1: img, img2: img })).json().error, "queue_full");
  assert.equal((await post("/verify", { img1: "no image: %", img2: img })).statusCode, 400);
  await page.shows(
    'faceline_tasks_shed_total{lane="unknown",reason="deadline_infeasible"} 1',
    'faceline_tasks_shed_total{lane="SFace/auto",reason="images_full"} 2',
    'faceline_tasks_shed_total{lane="SFace/auto",reason="bodies_full"} 0',
    // Ratios over these need their first increase.
    'faceline_requests_total{http_route="/compare",outcome="upstream_failed",dependency="none"} 0',
    'faceline_requests_total{http_route="/compare",outcome="dependency_unavailable",dependency="batcher"} 0',
  );
});

test("bodies in memory and connections are shown beside their bounds", async (t) => {
  await using page = await openPage();
  const settings = { BODY_BYTES_MAX: "70000", BODIES_IN_FLIGHT_BYTES_MAX: "90000", CONNECTIONS_MAX: "7" };
  const { app } = testServer(t, { metrics: page.metrics, settings });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as { port: number };
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(`POST /verify HTTP/1.1\r\nx-api-key: ${testKey}\r\ncontent-type: application/json\r\n`);
  socket.write("content-length: 5000\r\n\r\n{");
  const isCounted = async () => (await page.metrics.page()).includes("faceline_bodies_used_bytes 5000\n");
  await waitUntil("the body that was announced is counted", isCounted);
  await page.shows(
    "faceline_bodies_max_bytes 90000",
    "faceline_connections_used 1",
    "faceline_connections_max 7",
  );
  // A server waits for the rest of a body before it closes.
  socket.destroy();
});

test("requests of 1,000 teams add no series to those of one", async (t) => {
  await using page = await openPage();
  let team = "team 0";
  const { post } = testServer(t, {
    metrics: page.metrics,
    findKey: async () => ({ ...testKeyRecord, key: { ...testKeyRecord.key, team } }),
    acquireTeamSlot: countCallers(async () => ({ release() {} }), page.metrics, "team"),
  });
  const call = async (name: string, key: string) => {
    team = name;
    const response = await post("/verify", { img1: [1, 0], img2: [1, 0] }, { "x-api-key": key });
    assert.equal(response.statusCode, 200);
  };
  await call("team 0", "key 0");
  const before = await page.series();
  for (let i = 1; i <= 1_000; i++) await call(`team ${i}`, `key ${i}`);
  assert.deepEqual(await page.series(), before);
  await page.shows('faceline_team_requests_total{class="team",limit="kept"} 1001');
});

async function openPage() {
  const log = openLog("test", "silent");
  const config = readConfig(OtlpConfig, {});
  const metrics = await openMetrics({ config, page: true, service: "ingress", id: "ingress-1", log });
  return {
    metrics,
    async shows(...expected: string[]): Promise<void> {
      const page = await metrics.page();
      for (const line of expected)
        assert.ok(page.split("\n").includes(line), `${line} is missing in\n${page}`);
    },
    /** Names and labels of all series. */
    async series(): Promise<string[]> {
      const lines = (await metrics.page()).split("\n").filter((line) => !line.startsWith("#"));
      return lines.map((line) => line.replace(/ \S+$/, ""));
    },
    [Symbol.asyncDispose]: () => metrics[Symbol.asyncDispose](),
  };
}

/** The attributes of all values that are not 0, by metric. */
function recordedMetrics() {
  const recorded: { name: string; attributes: Record<string, string | number> }[] = [];
  const add: Metrics["add"] = (name, value, attributes) => {
    if (value > 0) recorded.push({ name, attributes });
  };
  const record: Metrics["record"] = (name, _value, attributes) => void recorded.push({ name, attributes });
  const metrics: Metrics = {
    on: true,
    add,
    record,
    observe() {},
    page: async () => "",
    async [Symbol.asyncDispose]() {},
  };
  const values = (name: string) =>
    recorded.filter((each) => each.name === name).map(({ attributes }) => attributes);
  return { metrics, values };
}
