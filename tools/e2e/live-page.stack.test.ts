import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { LiveState } from "@faceline/runtime/live/state";
import { setTeamLimits } from "@faceline/accounts/keys/api-keys";
import { readConfig } from "@faceline/runtime/config";
import { connectDurableRedis, DurableRedisConfig } from "@faceline/runtime/redis";
import type { Browser, Page } from "playwright-core";
import { tinyJpeg } from "@faceline/bench/images";
import { newDevKey, storeKey } from "@faceline/deploy/launcher/dev-key";
import { findChromium, openChromium, openPage, withoutChromium } from "@faceline/testing/browser";
import { assertSoundInAllLooks, stopRefresh } from "@faceline/testing/page-checks";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { apiClient } from "./stack/api-client.ts";
import { startStack, type TestStack } from "./stack/stack.ts";

const token = "a-token-of-operators";
const authorization = { authorization: `Bearer ${token}` };

test("the live page of each process, in a browser, under load", async (t) => {
  const chromium = await findChromium();
  if (chromium === undefined) return t.skip(withoutChromium);
  const browser = await openChromium(chromium);
  t.after(() => browser.close());
  const stack = await startStack(t, {
    operators: true,
    batchers: 2,
    workers: 2,
    settings: {
      ENGINE: "model:40+2b",
      BATCH_MAX: "8",
      TEAM_REQUESTS_PER_SECOND: "0",
      TEAM_REQUESTS_BURST: "0",
    },
    ownSettings: { inference: { OPERATORS_TOKEN: token }, batcher: { OPERATORS_TOKEN: token } },
  });
  const active = await findActiveBatcher(stack);
  const standby = active === "batcher-1" ? "batcher-2" : "batcher-1";

  await t.test("a batcher shows lanes, workers and the last minutes, and its numbers change", async (t) => {
    const { page, faults } = await openLive(t, browser, stack, active);
    await using _load = await startLoad(stack);
    using _slow = slowDown(stack.services.find("inference-2"));
    await shows(page, /SLOW: [\d.]+ ×/, /SFace\/auto/, /runs a batch/, /Largest batch/);
    const before = await page.locator("main").textContent();
    await waitUntil(
      "the page changes by itself",
      async () => before !== (await page.locator("main").textContent()),
    );
    assert.deepEqual(faults, []);
    await stopRefresh(page);
    await assertSoundInAllLooks(page, "live-batcher");
  });

  await t.test("an ingress shows times, limits, lanes and the loud team, as its log", async (t) => {
    const { page, faults } = await openLive(t, browser, stack, "ingress-1");
    const loud = await limitedTeam(stack);
    await using _load = await startLoad(stack);
    await using _flood = await startLoad({ post: apiClient(stack.address, loud.key) });
    await shows(
      page,
      /unsupported_image_format/,
      /Time of answered requests.*queue/s,
      /Open connections/,
      /SFace\/auto/,
      new RegExp(`rate_limited: .* Most refused: ${loud.team} \\(100%\\)`),
      new RegExp(`Busiest callers.*${loud.team}\\d+`, "s"),
    );
    assert.match(
      readFileSync(join(stack.logs, "ingress-1.log"), "utf8"),
      new RegExp(`"team":"${loud.team}"`),
    );
    assert.deepEqual(faults, []);
    await stopRefresh(page);
    await assertSoundInAllLooks(page, "live-ingress");
  });

  await t.test("a standby says that it stands by", async (t) => {
    const { page, faults } = await openLive(t, browser, stack, standby);
    await shows(page, /Standby/, /Workers/);
    assert.deepEqual(faults, []);
    await stopRefresh(page);
    await assertSoundInAllLooks(page, "live-standby");
  });

  await t.test("a worker asks for the token as a password", async (t) => {
    const url = `${operatorsUrl(stack, "inference-1")}/live`;
    assert.equal((await fetch(url)).status, 401);
    const { page, faults } = await openLive(t, browser, stack, "inference-1");
    await shows(page, /Worker of pool/i, /Networks/, /modelled: it waits instead of running models/);
    assert.deepEqual(faults, []);
    await stopRefresh(page);
    await assertSoundInAllLooks(page, "live-worker");
  });

  await t.test("without workers a batcher and an ingress are unhealthy", async (t) => {
    for (const worker of ["inference-1", "inference-2"]) stack.services.find(worker).kill("SIGSTOP");
    try {
      const { page } = await openLive(t, browser, stack, active);
      // It may still wait when the stack ends.
      void stack.post("/represent", { img: (await tinyJpeg()).toString("base64") }).catch(() => {});
      await shows(page, /silent: sends no reports/);
      await page.goto(`${operatorsUrl(stack, "ingress-1")}/live`);
      await shows(page, /Not ready No worker has this model and detector loaded/);
      await stopRefresh(page);
      await assertSoundInAllLooks(page, "live-unhealthy");
    } finally {
      for (const worker of ["inference-1", "inference-2"]) stack.services.find(worker).kill("SIGCONT");
    }
  });
});

/** Opens a page whose reader has typed in the token. */
async function openLive(t: TestContext, browser: Browser, stack: TestStack, service: string) {
  const basic = Buffer.from(`:${token}`).toString("base64");
  const opened = await openPage(browser, { headers: { authorization: `Basic ${basic}` } });
  t.after(() => opened.page.context().close());
  const response = await opened.page.goto(`${operatorsUrl(stack, service)}/live`);
  assert.equal(response?.status(), 200);
  return opened;
}

async function shows(page: Page, ...expected: RegExp[]): Promise<void> {
  for (const words of expected) {
    await waitUntil(`the page shows ${words}`, async () =>
      words.test((await page.locator("main").textContent()) ?? ""),
    );
  }
}

/** Calls that are answered and calls that are refused, until it is disposed of. */
async function startLoad({ post }: Pick<TestStack, "post">): Promise<AsyncDisposable> {
  const img = (await tinyJpeg()).toString("base64");
  const over = new AbortController();
  const caller = async () => {
    while (!over.signal.aborted) {
      await post("/represent", { img });
      await post("/represent", { img: Buffer.from("no image").toString("base64") });
      await sleep(20);
    }
  };
  const callers = Promise.all(Array.from({ length: 6 }, caller));
  return {
    async [Symbol.asyncDispose]() {
      over.abort();
      await callers;
    },
  };
}

/** Stops a process for three quarters of the time, until it is disposed of. */
function slowDown(process: { kill(signal: NodeJS.Signals): unknown }): Disposable {
  const timer = setInterval(() => {
    process.kill("SIGSTOP");
    setTimeout(() => process.kill("SIGCONT"), 150);
  }, 200);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      process.kill("SIGCONT");
    },
  };
}

async function limitedTeam({ pool }: TestStack): Promise<{ team: string; key: string }> {
  const [team, key] = [`loud-${pool}`, newDevKey()];
  await storeKey(process.env, key, team);
  await using redis = await connectDurableRedis(readConfig(DurableRedisConfig, process.env));
  await setTeamLimits(redis, team, { requestsPerSecond: 5, requestsBurst: 5 });
  return { team, key };
}

async function findActiveBatcher(stack: TestStack): Promise<string> {
  for (const name of ["batcher-1", "batcher-2"]) {
    const response = await fetch(`${operatorsUrl(stack, name)}/live.json`, { headers: authorization });
    const { facts } = (await response.json()) as LiveState;
    if (facts["role"] === "active") return name;
  }
  throw new Error("no batcher is active");
}

const operatorsUrl = ({ operatorsPorts }: TestStack, name: string): string =>
  `http://127.0.0.1:${operatorsPorts[name]}`;
