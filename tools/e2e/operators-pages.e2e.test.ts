// Covers the live pages in a browser, in states that a stack is seldom in.
import assert from "node:assert/strict";
import test from "node:test";
import { freePorts } from "@faceline/deploy/launcher/ports";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { openOperatorsServer } from "@faceline/runtime/operators/server";
import type { LivePart, LiveState } from "@faceline/runtime/live/state";
import { findChromium, openChromium, openPage, withoutChromium } from "@faceline/testing/browser";
import { assertSoundInAllLooks, stopRefresh } from "@faceline/testing/page-checks";

const chromium = await findChromium();
const skip = chromium === undefined ? withoutChromium : false;

test("the live page is sound in every state, and a page that none follows says that it is old", {
  skip,
}, async (t) => {
  const browser = await openChromium(chromium!);
  t.after(() => browser.close());
  let [name, state] = liveStates[0]!;
  const [port = 0] = await freePorts(1);
  const sources = { page: async () => "", state: () => state, checks: () => state.checks };
  await using _server = await openOperatorsServer({ host: "127.0.0.1", port, token: undefined, ...sources });
  const { page, faults } = await openPage(browser);
  await page.goto(`http://127.0.0.1:${port}/live`);
  await stopRefresh(page);
  for ([name, state] of liveStates) {
    await page.reload();
    await assertSoundInAllLooks(page, `live-${name}`);
  }
  await waitUntil("it is old", () => page.getByText("This page is old").isVisible());
  await assertSoundInAllLooks(page, "live-old");
  assert.deepEqual(faults, []);
});

const stateOf = (part: Partial<LivePart>, checks: Record<string, boolean>): LiveState => ({
  process: "inference-00000000000012ab",
  version: "0.1.0",
  uptimeMs: 90_000,
  checks,
  health: { memoryBytes: 150 * 2 ** 20, delayMs: { p50: 0.2, p99: 4, max: 31 } },
  subject: "worker of pool default",
  status: { level: "ok", title: "Idle", detail: "No batch ran in the past 10 s." },
  facts: { now: "waits for a batch", staged: 0, tasksPerSecond: 0 },
  tables: {},
  ...part,
});

const lanes = [
  { lane: "Dlib/ssd", networks: ["ssd int8", "Dlib int8"], build: "0".repeat(16), warmMs: [12, 20, 35] },
];
const overloaded: LivePart["status"] = {
  level: "attention",
  title: "Overloaded",
  detail:
    "32% of the tasks are refused, 9.2 per second; most of them could not be answered before its deadline.",
};

const liveStates: [name: string, state: LiveState][] = [
  ["idle", stateOf({ tables: { lanes } }, { start: true, kafka: true })],
  ["starting", stateOf({ facts: { now: "loads its models" } }, { start: false, kafka: false })],
  ["attention", stateOf({ status: overloaded, tables: { lanes } }, { start: true, kafka: true })],
];
