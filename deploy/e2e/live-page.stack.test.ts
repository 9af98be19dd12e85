import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { AxeBuilder } from "@axe-core/playwright";
import type { LiveState } from "@faceline/contracts/live/state";
import type { Browser, Page } from "playwright-core";
import { tinyJpeg } from "../bench/pictures.ts";
import { findChromium, openChromium, openPage, withoutChromium } from "../testing/browser.ts";
import { waitUntil } from "../testing/wait-until.ts";
import { startStack, type TestStack } from "./stack/stack.ts";

const token = "a-token-of-operators";

test("the live page of each process, in a browser, under load", async (t) => {
  const chromium = await findChromium();
  if (chromium === undefined) return t.skip(withoutChromium);
  const browser = await openChromium(chromium);
  t.after(() => browser.close());
  const stack = await startStack(t, {
    operators: true,
    batchers: 2,
    settings: {
      ENGINE: "model:40+2b",
      BATCH_MAX: "8",
      TEAM_REQUESTS_PER_SECOND: "0",
      TEAM_REQUESTS_BURST: "0",
    },
    ownSettings: { inference: { OPERATORS_TOKEN: token } },
  });
  const active = await findActiveBatcher(stack);
  const standby = active === "batcher-1" ? "batcher-2" : "batcher-1";

  await t.test("a batcher shows its batches and what is learned, and its numbers change", async (t) => {
    const { page, faults } = await openLive(t, browser, stack, active);
    await using _load = await startLoad(stack);
    await shows(
      page,
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
    await assertSound(page, faults);
  });

  await t.test("an ingress shows answers, times, limits and pools", async (t) => {
    const { page, faults } = await openLive(t, browser, stack, "ingress-1");
    await using _load = await startLoad(stack);
    await shows(
      page,
      /\bok\b/,
      /unsupported_image_format/,
      /waits for a worker/,
      /Open connections/,
      /Dlib\/ssd/,
    );
    await assertSound(page, faults);
  });

  await t.test("a standby says that it stands by", async (t) => {
    const { page, faults } = await openLive(t, browser, stack, standby);
    await shows(page, /Standby/, /Workers/);
    assert.doesNotMatch((await page.locator("main").textContent()) ?? "", /Lane Dlib/);
    await assertSound(page, faults);
  });

  await t.test("with a token the page asks for it, and sends it to nobody but its process", async (t) => {
    const { page } = await openLive(t, browser, stack, "inference-1");
    const field = page.getByLabel("Operators' token");
    await field.waitFor();
    await field.fill(`${token}-wrong`);
    await page.keyboard.press("Enter");
    await page.getByText("This is not the token of this process.").waitFor();
    await assertAccessible(page);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await field.fill(token);
    await page.keyboard.press("Enter");
    await shows(page, /Lanes that are loaded/, /The engine is modelled/);
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

async function openLive(t: TestContext, browser: Browser, { operatorsPorts }: TestStack, service: string) {
  const opened = await openPage(browser);
  t.after(() => opened.page.context().close());
  const reply = await opened.page.goto(`http://127.0.0.1:${operatorsPorts[service]}/live`);
  assert.equal(reply?.status(), 200);
  return opened;
}

async function shows(page: Page, ...expected: RegExp[]): Promise<void> {
  for (const words of expected) {
    await waitUntil(`the page shows ${words}`, async () =>
      words.test((await page.locator("main").textContent()) ?? ""),
    );
  }
}

/** Nothing was blocked, nothing is wider than a narrow screen, and axe finds nothing in both themes. */
async function assertSound(page: Page, faults: string[]): Promise<void> {
  assert.deepEqual(faults, []);
  await assertAccessible(page);
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 800 });
    const scrollWidth = await page.evaluate<number>("document.documentElement.scrollWidth");
    assert.ok(scrollWidth <= width, `${scrollWidth} px wide on a screen of ${width} px`);
  }
}

async function assertAccessible(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).analyze();
    const found = violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html}`);
    assert.deepEqual(found, [], colorScheme);
  }
}

/** Calls that are answered and calls that are refused, until it is disposed of. */
async function startLoad({ post }: TestStack): Promise<AsyncDisposable> {
  const img = (await tinyJpeg()).toString("base64");
  const over = new AbortController();
  const caller = async () => {
    while (!over.signal.aborted) {
      await post("/represent", { img });
      await post("/represent", { img: Buffer.from("no picture").toString("base64") });
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

async function findActiveBatcher({ operatorsPorts }: TestStack): Promise<string> {
  for (const name of ["batcher-1", "batcher-2"]) {
    const reply = await fetch(`http://127.0.0.1:${operatorsPorts[name]}/live.json`);
    const { part } = (await reply.json()) as LiveState;
    if (part.kind === "batcher" && part.role === "active") return name;
  }
  throw new Error("no batcher is active");
}
