// Covers the live pages and the links page in a browser, in states that a stack is seldom in.
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { freePorts } from "@faceline/deploy/launcher/ports";
import { openLinksPage } from "@faceline/deploy/observe/viewers/page";
import { openOperatorsServer } from "@faceline/runtime/operators/server";
import type { LivePart, LiveState } from "@faceline/runtime/live/state";
import {
  batcher,
  caller,
  count,
  inference,
  ingress,
  lane,
  series,
  stateOf,
  worker,
  workerLane,
} from "@faceline/runtime/live/testing/states";
import { findChromium, openChromium, openPage, withoutChromium } from "@faceline/testing/browser";
import { assertSoundInAllLooks } from "@faceline/testing/page-checks";

const chromium = await findChromium();
const skip = chromium === undefined ? withoutChromium : false;

for (const kind of ["ingress", "batcher", "inference"] as const) {
  test(`the live page of ${kind} is sound in every state`, { skip }, (t) => checkLivePage(t, kind));
}

async function checkLivePage(t: TestContext, kind: LivePart["kind"]): Promise<void> {
  const browser = await openChromium(chromium!);
  t.after(() => browser.close());
  const states = liveStates().filter(([, { part }]) => part.kind === kind);
  let state = states[0]![1];
  const [port = 0] = await freePorts(1);
  await using opened = new AsyncDisposableStack();
  const sources = { page: async () => "", state: () => state, checks: () => state.checks };
  opened.use(await openOperatorsServer({ host: "127.0.0.1", port, token: undefined, ...sources }));
  const { page, faults } = await openPage(browser);
  await page.goto(`http://127.0.0.1:${port}/live`);
  for (const [name, shown, title] of states) {
    state = shown;
    await page.locator(".status .title", { hasText: title }).waitFor();
    await assertSoundInAllLooks(page, `live-${name}`);
  }
  assert.deepEqual(faults, []);
  await opened.disposeAsync();
  await page.getByText("This process does not answer.").waitFor();
  await assertSoundInAllLooks(page, `live-${kind}-gone`);
}

test("the links page is sound", { skip }, async (t) => {
  const browser = await openChromium(chromium!);
  t.after(() => browser.close());
  const [port = 0] = await freePorts(1);
  await using _server = await openLinksPage(port, {
    zipkin: "http://127.0.0.1:9411",
    prometheus: "http://127.0.0.1:9090",
    processes: [{ process: "ingress-1", origin: "http://127.0.0.1:9464" }],
  });
  const { page, faults } = await openPage(browser);
  await page.goto(`http://127.0.0.1:${port}/`);
  await assertSoundInAllLooks(page, "links");
  assert.deepEqual(faults, []);
});

const idleLane = lane({ sizes: [], predictions: [], build: null, waiting: 0 });
const idleBatcher = batcher({ lanes: [], workers: [], sent: series(0), waiting: series(0) });
const idleIngress = ingress({
  answered: series(0),
  outcomes: [],
  parts: [],
  partsCalls: 0,
  totalMs: null,
  callers: { loudest: [], others: caller("~others", { bytes: count(0) }) },
});
const idleWorker = inference({
  lanes: [],
  running: null,
  staged: 0,
  tasks: series(0),
  busy: series(0),
  answered: count(0),
  runs: [],
});
const starting = { start: false, "redis-volatile": false, kafka: false };
const stranded = lane({ waiting: 12, wait: { kind: "no_worker" } });
const slow = worker({ runRatio: 1.84, isSlow: true });
const old = worker({ lanes: [workerLane({ digest: "11112222333344445" })] });
const shed = { queue_too_long: count(90), deadline_infeasible: count(10), early_drop: count(0, 500) };

/** Name of the state, the state, and the title that the page shows in it: another one than before. */
function liveStates(): [name: string, state: LiveState, title: string][] {
  return [
    ["ingress-well", stateOf(ingress()), "All is well"],
    ["ingress-nothing", stateOf(idleIngress), "Idle"],
    ["ingress-starting", stateOf(idleIngress, starting), "Not ready"],
    ["ingress-pool-away", stateOf(ingress({ pools: [{ pool: "gpu", lanes: null }] })), "A pool is away"],
    ["ingress-redis-down", stateOf(ingress(), { "redis-volatile": false }), "Not ready"],
    ["batcher-well", stateOf(batcher()), "All is well"],
    ["batcher-nothing", stateOf(idleBatcher), "Idle"],
    ["batcher-idle-lane", stateOf(batcher({ lanes: [idleLane], sent: series(0) })), "Idle"],
    ["batcher-standby", stateOf(batcher({ role: "standby" })), "Standby"],
    ["batcher-stranded", stateOf(batcher({ lanes: [stranded] })), "No worker"],
    ["batcher-overload", stateOf(batcher({ shed, unserved: series(100) })), "Overloaded"],
    ["batcher-slow-worker", stateOf(batcher({ workers: [slow, old] })), "A worker is slow"],
    ["batcher-kafka-down", stateOf(batcher({ role: "cut_off" }), { kafka: false }), "Not ready"],
    ["worker-well", stateOf(inference()), "All is well"],
    ["worker-nothing", stateOf(idleWorker), "Idle"],
    ["worker-starting", stateOf(idleWorker, starting), "Not ready"],
  ];
}
