// Covers the states of web/src/tester/run-state.ts in a browser: each is reached, looked at and left.
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import type { Page, Route } from "playwright-core";
import { findChromium, openChromium, openPage, withoutChromium } from "@faceline/testing/browser";
import { assertSoundInAllLooks } from "@faceline/testing/page-checks";
import { startStack } from "./stack/stack.ts";

const sample = (name: string): string =>
  fileURLToPath(new URL(`../../web/src/samples/${name}.jpg`, import.meta.url));

test("every state of the tester, in a browser", async (t) => {
  const chromium = await findChromium();
  if (chromium === undefined) return t.skip(withoutChromium);
  const browser = await openChromium(chromium);
  t.after(() => browser.close());
  const { address } = await startStack(t);
  const { page } = await openPage(browser);
  await page.addInitScript(holdDecoding);
  const network = new Network();
  await page.route("**/tester/*", (route) => network.pass(route));
  await page.route("**/livez", (route) => network.pass(route));
  await page.goto(address);
  await headline(page, /^Same person/);

  await t.test("answer: its images, its faces, and nothing dimmed", async () => {
    await assertShown(page, { counted: 2, stale: [], status: "Same person (at\u00a0this\u00a0threshold)" });
    await assertSoundInAllLooks(page, "state-answer");
  });

  await t.test("running, just begun: the old words are dimmed at once, and said no more", async () => {
    network.hold();
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.getByAltText("Sample chi-1").click();
    await page.locator('.result[aria-busy="true"]').waitFor();
    const all = ["headline", "scale-place", "explanation", "answer", "fold sure", "evidence"];
    await assertShown(page, { counted: 0, stale: all, status: "" });
    await page.getByAltText("Sample chi-1, shown as the first image").waitFor();
    await assertShown(page, { counted: 0, stale: all, status: "" });
  });

  await t.test("running: what goes on after 300 ms, and a count after 3 s", async () => {
    await page.clock.runFor(300);
    await headline(page, /^Comparing…$/);
    const old = ["scale-place", "answer", "fold sure", "evidence"];
    await assertShown(page, { counted: 0, stale: old, status: "Comparing…" });
    await page.clock.runFor(2_800);
    await page.getByText("Still working, 3 s").waitFor();
    await assertShown(page, { counted: 0, stale: old, status: "Still working" });
    await page.clock.resume();
    await assertSoundInAllLooks(page, "state-running");
    network.release();
    await headline(page, /^Different people/);
    await assertShown(page, { counted: 2, stale: [], status: "Different people (at this threshold)" });
  });

  await t.test("running, with a threshold that moves: its verdict at once, the response later", async () => {
    network.hold();
    await page.getByRole("slider", { name: "Threshold" }).focus();
    await page.keyboard.press("End");
    // The scale ends at least a tenth beyond the distance.
    const status = /^(Just within the threshold|Same person)/;
    await headline(page, status);
    await assertShown(page, { counted: 2, stale: ["evidence"], status });
    await assertSoundInAllLooks(page, "state-threshold-moved");
    network.release();
    await page.locator(".evidence:not([inert])").waitFor();
    await assertShown(page, { counted: 2, stale: [], status });
    assert.equal(await page.evaluate("document.activeElement.type"), "range");
    await page.getByRole("button", { name: /^Back to/ }).click();
    await headline(page, /^Different people/);
    await page.locator(".evidence:not([inert])").waitFor();
  });

  await t.test("reading: an image that is being decoded", async () => {
    await page.evaluate("holdDecoding()");
    await choose(page, 1, sample("ada-1"));
    await headline(page, /^Reading the image…$/);
    const old = ["scale-place", "answer", "fold sure", "evidence"];
    await assertShown(page, { counted: 0, stale: old, status: /^(Reading the image…|Still working)$/ });
    await assertSoundInAllLooks(page, "state-reading");
    await page.evaluate("releaseDecoding()");
    await headline(page, /^Add a second image to compare$/);
  });

  await t.test("empty: one image missing, a refused file, and no image", async () => {
    await assertShown(page, { counted: 0, stale: [], status: "Add a second image to compare" });
    await assertSoundInAllLooks(page, "state-one-missing");
    const folder = mkdtempSync(join(process.env["FACELINE_TEST_RUN"] ?? tmpdir(), "tester-states-"));
    const notes = join(folder, "notes.jpg");
    writeFileSync(notes, "not an image");
    await choose(page, 1, notes);
    await page.getByText("Your browser cannot open this file.").first().waitFor();
    await assertShown(page, { counted: 0, stale: [], status: /^Your browser cannot .* Add two images/ });
    assert.equal(await page.locator(".slot.filled").count(), 0);
    await assertSoundInAllLooks(page, "state-refused");
    const chooser = page.waitForEvent("filechooser");
    await page.locator(".slot h2").first().click();
    await (await chooser).setFiles([sample("ada-1"), sample("ada-2")]);
    await headline(page, /^Same person/);
  });

  const problem = (status: number, error: string, retryAfter?: string) => (route: Route) =>
    route.fulfill({
      status,
      json: { error, detail: "What happened in img2.", field: "img2", request_id: "r1" },
      headers: retryAfter === undefined ? {} : { "retry-after": retryAfter },
    });

  await t.test("failure: what is wrong and where, and no verdict", async () => {
    network.answer = problem(400, "invalid_image");
    await choose(page, 1, sample("chi-1"));
    await headline(page, /^What happened in the second image\.$/);
    await assertShown(page, { counted: 0, stale: [], status: "What happened in the second image." });
    assert.equal(await page.locator(".slot.at-fault").count(), 1);
    await assertSoundInAllLooks(page, "state-failure");
  });

  await t.test("failure that is retried: a countdown, then the answer", async () => {
    network.answer = problem(503, "queue_full", "20");
    await choose(page, 1, sample("ada-2"));
    await headline(page, /^The service is busy$/);
    await page.getByText(/^Next try in \d+ s\.$/).waitFor();
    await assertShown(page, { counted: 0, stale: [], status: "The service is busy" });
    await assertSoundInAllLooks(page, "state-retry");
    network.answer = undefined;
    await headline(page, /^Same person/);
  });

  await t.test("a lost connection: no old verdict, and the page goes on by itself", async () => {
    network.answer = (route) => route.abort("failed");
    await choose(page, 1, sample("chi-2"));
    await headline(page, /^The service cannot be reached$/);
    await assertShown(page, { counted: 0, stale: [], status: "The service cannot be reached" });
    await assertSoundInAllLooks(page, "state-unreachable");
    network.answer = undefined;
    await headline(page, /^Different people/);
    await assertShown(page, { counted: 2, stale: [], status: "Different people (at this threshold)" });
  });
});

/** What stands between the page and the service. */
class Network {
  /** Responds in place of the service. */
  answer: ((route: Route) => Promise<void>) | undefined;
  #held = Promise.resolve();
  release = (): void => {};

  /** Keeps responses back until `release`. */
  hold(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    this.release = resolve;
  }

  async pass(route: Route): Promise<void> {
    await this.#held;
    // The page may have given up the request meanwhile.
    await (this.answer?.(route) ?? route.continue()).catch(() => {});
  }
}

/** Lets a test keep back what the browser has decoded, and a response for as long as a state is looked at. */
const holdDecoding = `{
  AbortSignal.timeout = () => new AbortController().signal;
  const decode = window.createImageBitmap;
  let held = Promise.resolve();
  window.holdDecoding = () => {
    const { promise, resolve } = Promise.withResolvers();
    held = promise;
    window.releaseDecoding = resolve;
  };
  window.createImageBitmap = async (...image) => {
    await held;
    return decode(...image);
  };
}`;

/** Asserts what is marked, dimmed and said: all of it belongs to one state. */
async function assertShown(page: Page, { counted, stale, status }: Shown): Promise<void> {
  const shown = await page.evaluate<{
    counted: number;
    stale: string[];
    isBusy: boolean;
    copies: boolean[];
  }>(`({
    counted: document.querySelectorAll(".face.counted").length,
    stale: [...document.querySelectorAll(".result [inert]")].map((each) => each.id || each.className),
    isBusy: document.querySelector(".result").ariaBusy === "true",
    copies: [...document.querySelectorAll(".result .copy")].map((each) => each.disabled),
  })`);
  assert.equal(shown.counted, counted);
  assert.deepEqual(shown.stale, stale);
  assert.equal(shown.isBusy, stale.includes("answer"));
  const isStale = stale.includes("evidence");
  assert.ok(
    shown.copies.every((isDisabled) => isDisabled === isStale),
    "nothing old can be copied",
  );
  const said = await page.locator("#status").innerText();
  if (typeof status === "string") assert.equal(said, status);
  else assert.match(said, status);
}

/** `stale`: parts of the result that are dimmed. `status`: what readers of the screen hear. */
type Shown = { counted: number; stale: string[]; status: string | RegExp };

const headline = (page: Page, text: RegExp): Promise<void> =>
  page.locator("#headline", { hasText: text }).waitFor();

const choose = (page: Page, slot: number, file: string): Promise<void> =>
  page.locator('.slot input[type="file"]').nth(slot).setInputFiles(file);
