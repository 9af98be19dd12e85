// Covers web/src/accounts and ingress/src/accounts in a browser.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test from "node:test";
import { approve } from "@faceline/accounts/people/approval";
import { issueSignInToken } from "@faceline/accounts/people/sign-in-address";
import { readConfig } from "@faceline/runtime/config";
import { connectDurableRedis, DurableRedisConfig } from "@faceline/runtime/redis";
import type { Browser, Page } from "playwright-core";
import { findChromium, openChromium, openPage, withoutChromium } from "@faceline/testing/browser";
import { assertSoundInAllLooks } from "@faceline/testing/page-checks";
import { startStack } from "./stack/stack.ts";

const run = randomBytes(4).toString("hex");
const email = `ada-${run}@example.test`;
const other = `bob-${run}@example.test`;
const team = `ants-${run}`;

test("pages for people, in a browser", async (t) => {
  const chromium = await findChromium();
  if (chromium === undefined) return t.skip(withoutChromium);
  const browser = await openChromium(chromium);
  t.after(() => browser.close());
  const { address } = await startStack(t);
  const durable = await connectDurableRedis(readConfig(DurableRedisConfig, process.env));
  t.after(() => durable.disconnect());
  for (const each of [email, other]) {
    await approve(durable, { email: each, team }, { by: "command", requestId: null });
  }
  const newAddress = async (of = email) =>
    `${address}/sign-in/${await issueSignInToken(durable, of, { hours: 24 })}`;

  await t.test("every state is sound in both themes, wide and narrow", async () => {
    const { page, faults } = await openPage(browser);
    const visit = async (path: string, state: string) => {
      await page.goto(address + path);
      await assertSoundInAllLooks(page, state);
    };
    await visit("/waitlist", "waitlist");
    await page.getByLabel("Email").fill("ada@example");
    await page.evaluate(`document.querySelector("main form").noValidate = true`);
    await press(page, "Join the waitlist");
    await page.getByText("This is not an email address").waitFor();
    await assertSoundInAllLooks(page, "waitlist-wrong");
    await visit("/waitlist/joined", "waitlist-joined");
    await visit("/sign-in", "sign-in");
    await visit("/sign-in/sent", "sign-in-sent");
    await visit(`/sign-in/${"a".repeat(43)}`, "address-dead");
    await page.goto(await newAddress());
    await assertSoundInAllLooks(page, "address");
    await press(page, "Sign in");
    await page.getByRole("heading", { name: team }).waitFor();
    await assertSoundInAllLooks(page, "dashboard-without-keys");
    await page.getByLabel("Name of a new key").fill("a laptop with a name that is long, but not too long");
    await press(page, "Create a key");
    await page.getByRole("heading", { name: "Your new key" }).waitFor();
    await assertSoundInAllLooks(page, "key-new");
    // A reload shows the dashboard, and makes no second key.
    await page.reload();
    await page.getByRole("heading", { name: team }).waitFor();
    assert.equal(await page.locator(".keys tbody tr").count(), 1);
    await assertSoundInAllLooks(page, "dashboard");
    await page.getByRole("link", { name: /^Change/ }).click();
    await assertSoundInAllLooks(page, "key");
    await press(page, "Replace the key");
    await page.getByText("The old key stays valid for 1 day").waitFor();
    await page.goto(`${address}/dashboard`);
    await assertSoundInAllLooks(page, "dashboard-replaced");
    await page.getByRole("row", { name: "replaced: valid until" }).getByRole("link").click();
    await page.getByText("A newer key has replaced this one").waitFor();
    assert.equal(await page.getByRole("button", { name: "Replace the key" }).count(), 0);
    await assertSoundInAllLooks(page, "key-replaced");
    await page.goto(`${address}/dashboard`);
    await page
      .getByRole("link", { name: /^Change/ })
      .last()
      .click();
    await page.getByRole("link", { name: /^Revoke/ }).click();
    await assertSoundInAllLooks(page, "key-revoke");
    await press(page, "Revoke the key");
    await page.getByText("is revoked: requests with it are refused from now on").waitFor();
    await assertSoundInAllLooks(page, "dashboard-revoked");
    await page.goto(await newAddress());
    await page.getByText(`You are signed in as ${email} already`).waitFor();
    await assertSoundInAllLooks(page, "address-signed-in");
    await page.goto(await newAddress(other));
    await page.getByText(`This browser is signed in as ${email}`).waitFor();
    await assertSoundInAllLooks(page, "address-of-another");
    await visit("/dashboard/nothing", "not-found");
    assert.deepEqual(withoutStatus(faults), []);
  });

  await t.test(
    "from the address to a key whose call works, by keyboard alone and without scripts",
    async () => {
      const page = await pageWithoutScripts(browser);
      await page.goto(await newAddress());
      await tabTo(page, "Sign in", "main");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: team }).waitFor();
      await tabTo(page, "", "#name");
      await page.keyboard.type("by keyboard");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Your new key" }).waitFor();
      const call = await page.locator("pre").last().innerText();
      const [key] = /fl_[\w-]{43}/.exec(call)!;
      const [one, other] = [...call.matchAll(/http:\S+\.jpg/g)].map(([url]) => url);
      const form = new FormData();
      for (const [name, url] of Object.entries({ img1: one!, img2: other! })) {
        form.set(name, await (await fetch(url)).blob());
      }
      const reply = await fetch(`${address}/verify`, {
        method: "POST",
        headers: { "x-api-key": key },
        body: form,
      });
      assert.equal(reply.status, 200);
      assert.equal(((await reply.json()) as { verified: boolean }).verified, true);
      await page.goto(`${address}/dashboard`);
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByText("You are signed out.").waitFor();
      await page.goto(`${address}/dashboard`);
      await page.getByText("your session has ended").waitFor();
    },
  );
});

const press = (page: Page, name: string) => page.locator("main").getByRole("button", { name }).click();

async function pageWithoutScripts(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ javaScriptEnabled: false });
  return context.newPage();
}

/** Presses Tab until the focus is on what has this text, within `scope`. */
async function tabTo(page: Page, text: string, scope: string): Promise<void> {
  for (let i = 0; i < tabsMax; i++) {
    await page.keyboard.press("Tab");
    const focused = page.locator(`${scope}:focus, ${scope} :focus`);
    if ((await focused.count()) === 1 && (await focused.innerText()).includes(text)) return;
  }
  assert.fail(`no Tab led to ${text} in ${scope}`);
}

const tabsMax = 40;

/** A page with a status of 400 or more is an error in the console, too. */
const withoutStatus = (faults: string[]): string[] =>
  faults.filter(
    (fault) => !fault.startsWith("Failed to load resource: the server responded with a status of 4"),
  );
