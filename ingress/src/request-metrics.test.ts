import assert from "node:assert/strict";
import test from "node:test";
import type { Metrics } from "@faceline/contracts/runtime/metrics/metrics";
import { base64Image, testKey, testServer } from "../testing/server.ts";
import { ApiError } from "./call/api-error.ts";
import { countTeamRequests } from "./request-metrics.ts";

test("each request is recorded by its route and outcome, and what a client makes up is not", async (t) => {
  const { metrics, values } = recordedMetrics();
  const { app } = testServer(t, { metrics });
  const address = await app.listen({ host: "127.0.0.1", port: 0 });
  const post = { method: "POST", headers: { "x-api-key": testKey, "content-type": "application/json" } };
  const send = async (path: string, init: RequestInit) =>
    (await fetch(`${address}${path}`, init)).arrayBuffer();
  await send("/represent", { ...post, body: JSON.stringify({ img: await base64Image() }) });
  await send("/represent?made=up", { ...post, body: JSON.stringify({ img: "no picture" }) });
  await send("/made/up", { ...post, body: "{}" });
  await send("/livez", {});
  await send("/verify", { method: "REPORT" });
  // A response counts when it is closed, which its client may notice first.
  await app.close();
  assert.deepEqual(values("faceline.requests"), [
    { "http.route": "/represent", outcome: "ok" },
    { "http.route": "/represent", outcome: "invalid_image" },
    { "http.route": "other", outcome: "not_found" },
    { "http.route": "/livez", outcome: "ok" },
    { "http.route": "other", outcome: "method_not_allowed" },
  ]);
  const durations = values("http.server.request.duration");
  assert.deepEqual(durations.at(0), {
    "http.request.method": "POST",
    "http.route": "/represent",
    "http.response.status_code": 200,
  });
  assert.equal(durations.at(-1)!["http.request.method"], "_OTHER");
});

test("requests of teams are counted by class and whether a limit was reached, never by team", async () => {
  const { metrics, values } = recordedMetrics();
  const error = new ApiError("rate_limited", "too many");
  const acquire = countTeamRequests(
    async (team) => ({ release() {}, ...(team === "ants" ? { error } : {}) }),
    metrics,
    "on",
  );
  const limits = { requestsPerSecond: 1, requestsBurst: 1, inFlightMax: 1, bodyBytesPerSecond: 1 };
  assert.equal((await acquire("ants", limits)).error, error);
  await acquire("bees", limits);
  assert.deepEqual(values("faceline.team.requests"), [
    { class: "team", limit: "reached" },
    { class: "team", limit: "kept" },
  ]);
});

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
