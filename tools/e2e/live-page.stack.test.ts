import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { LiveBatcher, LiveState } from "@faceline/runtime/live/state";
import { setTeamLimits } from "@faceline/accounts/keys/api-keys";
import { readConfig } from "@faceline/runtime/config";
import { connectDurableRedis, DurableRedisConfig } from "@faceline/runtime/redis";
import type { Browser, Page } from "playwright-core";
import { tinyJpeg } from "@faceline/bench/images";
import { newDevKey, storeKey } from "@faceline/deploy/launcher/dev-key";
import { findChromium, openChromium, openPage, withoutChromium } from "@faceline/testing/browser";
import { assertSound, assertSoundInAllLooks } from "@faceline/testing/page-checks";
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

  await t.test("a batcher shows its batches and what is learned, and its numbers change", async (t) => {
    const { page, faults } = await openLive(t, browser, stack, active);
    await using _load = await startLoad(stack);
    using _slow = slowDown(stack.services.find("inference-2"));
    await shows(
      page,
      /SLOW: [\d.]+ ×/,
      /Sizes of batches/,
      /Why a batch was sent with its size/,
      /A run takes \d/,
      /runs a batch/,
    );
    const sent = page.locator("dt:has-text('Sent to workers, all lanes') + dd .figure");
    await waitUntil("tasks are sent", async () => Number.parseFloat((await sent.textContent()) ?? "0") > 1);
    const before = await page.locator("main").textContent();
    await waitUntil(
      "the page changes by itself",
      async () => before !== (await page.locator("main").textContent()),
    );
    await page.locator("summary").first().click();
    const details = page.locator("details").first();
    await waitUntil("new numbers come", async () => before !== (await page.locator("main").textContent()));
    assert.notEqual(await details.getAttribute("open"), null, "a table that was opened stays open");
    assert.deepEqual(faults, []);
    await assertSound(page, "live-batcher");
  });

  await t.test("an ingress shows times, limits, pools and the loud team, as its log", async (t) => {
    const { page, faults } = await openLive(t, browser, stack, "ingress-1");
    const loud = await limitedTeam(stack);
    await using _load = await startLoad(stack);
    await using _flood = await startLoad({ post: apiClient(stack.address, loud.key) });
    await shows(
      page,
      /\bok\b/,
      /unsupported_image_format/,
      /waits for a worker/,
      /Open connections/,
      /Dlib\/ssd/,
      new RegExp(`rate_limited: .* Most refused: ${loud.team} \\(100 %\\)`),
      new RegExp(`Who calls.*${loud.team}\\d+ %.*${stack.pool}\\d+ %`),
    );
    assert.match(
      readFileSync(join(stack.logs, "ingress-1.log"), "utf8"),
      new RegExp(`"team":"${loud.team}"`),
    );
    assert.deepEqual(faults, []);
    await assertSound(page, "live-ingress");
  });

  await t.test("a standby says that it stands by", async (t) => {
    const { page, faults } = await openLive(t, browser, stack, standby);
    await shows(page, /Standby/, /Workers/);
    assert.doesNotMatch((await page.locator("main").textContent()) ?? "", /Lane Dlib/);
    assert.deepEqual(faults, []);
    await assertSound(page, "live-standby");
  });

  await t.test("with a token the page asks for it, and sends it to nobody but its process", async (t) => {
    const { page } = await openLive(t, browser, stack, "inference-1");
    const field = page.getByLabel("Operators' token");
    await field.waitFor();
    await field.fill(`${token}-wrong`);
    await page.keyboard.press("Enter");
    await page.getByText("This is not the token of this process.").waitFor();
    await assertSoundInAllLooks(page, "live-token");
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await field.fill(token);
    await page.keyboard.press("Enter");
    await shows(page, /Loaded lanes/, /The engine is modelled/);
    assert.equal(await field.isVisible(), false);
    await waitUntil("the page has requested them again", () => requests.length >= 2);
    const own = `http://127.0.0.1:${stack.operatorsPorts["inference-1"]}/live.json`;
    assert.deepEqual([...new Set(requests)], [own]);
    assert.doesNotMatch(page.url(), new RegExp(token));
    assert.deepEqual(await page.context().cookies(), []);
  });

  await t.test(
    "a process that hangs is shown as gone, with old numbers, and live when it is back",
    async (t) => {
      const { page } = await openLive(t, browser, stack, standby);
      await shows(page, /Standby/);
      stack.services.find(standby).kill("SIGSTOP");
      try {
        await page.getByText("This process does not answer.").waitFor();
        assert.equal(await page.locator("#link").textContent(), "gone");
        await shows(page, /Standby/);
      } finally {
        stack.services.find(standby).kill("SIGCONT");
      }
      await waitUntil("it is live", async () => (await page.locator("#link").textContent()) === "live");
      assert.equal(await page.getByText("This process does not answer.").isVisible(), false);
    },
  );
});

async function openLive(t: TestContext, browser: Browser, stack: TestStack, service: string) {
  // The page of a worker asks for the token: see below.
  const opened = await openPage(browser, service.startsWith("batcher") ? { headers: authorization } : {});
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
    if ((await liveBatcherOf(stack, name)).role === "active") return name;
  }
  throw new Error("no batcher is active");
}

async function liveBatcherOf(stack: TestStack, name: string): Promise<LiveBatcher> {
  const response = await fetch(`${operatorsUrl(stack, name)}/live.json`, { headers: authorization });
  const { part } = (await response.json()) as LiveState;
  assert.equal(part.kind, "batcher");
  return part;
}

const operatorsUrl = ({ operatorsPorts }: TestStack, name: string): string =>
  `http://127.0.0.1:${operatorsPorts[name]}`;
