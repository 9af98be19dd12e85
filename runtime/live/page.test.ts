// Covers status.ts and assets.ts too.
import assert from "node:assert/strict";
import test from "node:test";
import { liveAsset, livePageHeaders } from "./assets.ts";
import { livePage } from "./page.ts";
import type { LiveState } from "./state.ts";

const state: LiveState = {
  process: "batcher-00000000000012ab",
  version: "0.1.0",
  uptimeMs: 90_000,
  checks: { kafka: true },
  health: {
    memoryBytes: 150 * 2 ** 20,
    delayMs: { p50: 0.2, p99: 4, max: 31 },
    redis: { usedBytes: 2 ** 20, maxBytes: 2 ** 30 },
  },
  subject: "batcher of pool default",
  status: { level: "ok", title: "Idle", detail: "Nothing to do." },
  facts: { waiting: 3, usedShare: 0.256 },
  tables: {
    lastMinutes: [{ minute: "12:01", tasksSent: 1_234, meanRunMs: null }],
    lanes: [{ lane: "<Dlib>", oldestMs: 34.6, past5min: 2, warmMs: [42, 60], networks: [] }],
    refusals: [],
  },
};

const textOf = (shown: LiveState): string =>
  livePage(shown, "2026-11-29T12:01:02.345Z")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ");

test("fields have their headings and units, unknown values a dash, and an empty table no room", () => {
  const text = textOf(state);
  for (const words of [
    "batcher-00000000000012ab, as of 12:01:02 UTC",
    "3 Waiting 26% Used",
    "Last minutes Minute Tasks sent Mean run 12:01 1,234 –",
    "Lane Oldest Past 5 min Warm Networks &#60;Dlib&#62; 35 ms 2 42 ms, 60 ms –",
    "90 s Runs for kafka ok Checks 150 MiB Memory",
    "1 MiB of 1 GiB Redis memory",
  ]) {
    assert.ok(text.includes(words), `"${words}" is missing in\n${text}`);
  }
  assert.doesNotMatch(text, /Refusals/);
});

test("the worst problem is the status: that of the service, then a check, then a Redis that is full", () => {
  const problem = { level: "problem", title: "No worker", detail: "" } as const;
  const full = { ...state.health, redis: { usedBytes: 95, maxBytes: 100 } };
  const bad = { ...state, checks: { kafka: false }, health: full };
  assert.match(textOf({ ...bad, status: problem }), / No worker /);
  assert.match(textOf(bad), / Not ready Kafka has not answered lately\. /);
  assert.match(textOf({ ...state, health: full }), / Redis is nearly full The volatile Redis has 95% /);
  assert.match(textOf(state), / Idle Nothing to do\. /);
});

test("the page runs no script, loads nothing from elsewhere and stands in no frame", async () => {
  const page = livePage(state, "2026-11-29T12:01:02.345Z");
  assert.doesNotMatch(page, /<script|<style|\sstyle=|\son\w+=|https?:/);
  const policy = livePageHeaders["content-security-policy"];
  assert.match(policy, /^default-src 'none'; script-src 'none'; style-src 'self'; connect-src 'none'; /);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.doesNotMatch(policy, /unsafe|data:|http/);
  const { text } = (await liveAsset("/live/style.css"))!;
  assert.doesNotMatch(String(text), /url\("(?!geist\.woff2")/);
});
