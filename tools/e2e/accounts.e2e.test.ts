// Covers the pages for people, the command for the first operator and the mail, all together in a browser.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { commandActor } from "@faceline/accounts/audit/audit-log";
import { approve, issueForPerson } from "@faceline/accounts/people/approval";
import { signInLink } from "@faceline/accounts/people/sign-in-link";
import { openSmtpServer } from "@faceline/accounts/testing/smtp-server";
import { connectRedis } from "@faceline/runtime/redis";
import type { Page } from "playwright-core";
import { freePorts } from "@faceline/deploy/launcher/ports";
import { findChromium, openChromium, openPage, withoutChromium } from "@faceline/testing/browser";
import { assertSound, assertSoundInAllLooks } from "@faceline/testing/page-checks";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { startDurableServer } from "./stack/redis-servers.ts";
import { startStack } from "./stack/stack.ts";

// Screenshots of every state stay in SCREENSHOTS, if that names a folder.

const ada = "ada@example.test";
const bob = "bob@example.test";
const olga = "olga@example.test";

test("from the waitlist to a key of one's own, and what an operator does for it", async (t) => {
  const chromium = await findChromium();
  if (chromium === undefined) return t.skip(withoutChromium);
  const browser = await openChromium(chromium);
  t.after(() => browser.close());
  await using smtp = await openSmtpServer();
  const durable = await startDurableServer(t);
  const [port = 0] = await freePorts(1);
  const address = `http://127.0.0.1:${port}`;
  const mail = { SMTP_URL: smtp.url, SMTP_FROM: "faceline@example.test", PUBLIC_URL: address };
  await startStack(t, {
    ports: [port],
    settings: { ...durable.access("keys"), ...mail },
    ownSettings: { ingress: durable.access("ingress") },
  });
  const keys = commandWith({ ...durable.access("keys"), ...mail });
  const visit = async (path: string) => {
    const { page, faults } = await openPage(browser);
    await page.goto(address + path);
    return { page, faults };
  };
  /** The sign-in link of the newest mail to somebody, once there are `count` mails. */
  const mailedAddress = async (to: string, count: number): Promise<string> => {
    const mails = () => smtp.mails.filter((each) => each.to.includes(to));
    await waitUntil(`mail ${count} to ${to} is there`, () => mails().length >= count);
    return mails()
      .at(-1)!
      .text.match(/http:\S+\/sign-in\/[\w-]{43}/)![0];
  };
  const connectStore = () => connectRedis("REDIS", durable.access("test")["REDIS_DURABLE_URL"]!, 1_000);
  /** A new sign-in link, which replaces those before it. */
  const newLink = async (email: string): Promise<string> => {
    await using redis = await connectStore();
    return signInLink(address, (await issueForPerson(redis, { email, hours: 1 }, commandActor))!);
  };
  const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).click();
  const heading = (page: Page, name: string | RegExp) =>
    page.getByRole("heading", { level: 1, name }).waitFor();
  const signIn = async (page: Page, signInLink: string, home = "/dashboard") => {
    await page.goto(signInLink);
    await press(page, "Sign in");
    await page.waitForURL(`**${home}`);
  };

  const visitor = await visit("/");
  const operator = await visit("/sign-in");
  let adasAddress = "";

  await t.test("a visitor joins the waitlist", async () => {
    const { page } = visitor;
    await page.getByRole("link", { name: "Waitlist", exact: true }).click();
    await assertSoundInAllLooks(page, "waitlist");
    await page.getByLabel("Email").fill("ada@example");
    await page.evaluate(`document.querySelector("main form").noValidate = true`);
    await press(page, "Join the waitlist");
    await page.getByText("This is not an email address").waitFor();
    await assertSoundInAllLooks(page, "waitlist-wrong");
    await page.getByLabel("Email").fill(ada);
    await page.getByLabel("Team").fill("Ants");
    await page.getByLabel("What do you want").fill("<script>alert(1)</script> doors");
    await press(page, "Join the waitlist");
    await heading(page, "You are on the waitlist");
    await assertSoundInAllLooks(page, "waitlist-joined");
  });

  await t.test("a visitor reads the pages in German or Spanish", async () => {
    for (const language of ["de", "es"]) {
      const { page } = await openPage(browser, { headers: { "accept-language": language } });
      for (const path of ["waitlist", "waitlist/joined", "sign-in", "sign-in/sent", "sign-in/dead"]) {
        await page.goto(`${address}/${path}`);
        assert.equal(await page.getAttribute("html", "lang"), language);
        await assertSound(page, `${path} in ${language}`);
      }
      await page.context().close();
    }
  });

  await t.test("the first operator is made by a command, and signs in by mail", async () => {
    await keys("operator", "--email", olga);
    await signIn(operator.page, await mailedAddress(olga, 1), "/admin");
    await heading(operator.page, "Waitlist");
  });

  await t.test("the operator reads what was written as text, and approves", async () => {
    const { page } = operator;
    await page.getByRole("link", { name: ada }).click();
    await page.getByText("<script>alert(1)</script> doors").waitFor();
    await press(page, "Approve");
    const done = page.getByText(`${ada} is a member now. A sign-in link was mailed to them.`);
    await done.waitFor();
    adasAddress = await mailedAddress(ada, 1);
    await page.reload();
    await done.waitFor();
    await page.getByText("One link works").waitFor();
    assert.equal(smtp.mails.filter((mail) => mail.to.includes(ada)).length, 1);
  });

  await t.test("who fetches a mailed address uses nothing up; its button signs in", async () => {
    const { page } = visitor;
    for (let i = 0; i < 3; i++) assert.equal((await fetch(adasAddress)).status, 200);
    await page.goto(adasAddress);
    await page.getByText(ada).waitFor();
    await assertSoundInAllLooks(page, "address");
    await press(page, "Sign in");
    await page.waitForURL("**/dashboard");
    await assertSoundInAllLooks(page, "dashboard-without-keys");
  });

  await t.test("a key is shown once, with a curl that works as it is", async () => {
    const { page } = visitor;
    await page.getByLabel("Name of a new key").fill("a laptop with a name that is long, but not too long");
    await press(page, "Create a key");
    await heading(page, "Your new key");
    await assertSoundInAllLooks(page, "key-new");
    const [key = "", curl = ""] = await page.locator("pre code").allInnerTexts();
    assert.match(key.trim(), /^fl_[\w-]{43}$/);
    const folder = mkdtempSync(join(process.env["FACELINE_TEST_RUN"]!, "curl-"));
    const { stdout } = await promisify(execFile)("bash", ["-c", curl], { cwd: folder });
    assert.equal((JSON.parse(stdout) as { verified: boolean }).verified, true);
    await page.reload();
    assert.ok(!(await page.content()).includes(key.trim()), "the key is not shown again");
    assert.equal(await page.locator("#keys ~ .cards tbody tr").count(), 1, "a reload makes no second key");
    await assertSoundInAllLooks(page, "dashboard");
  });

  await t.test("a rotated key stays valid for a day, and is not rotated again", async () => {
    const { page } = visitor;
    await page.getByRole("link", { name: /^Rename a laptop/ }).click();
    await assertSoundInAllLooks(page, "key-rename");
    await page.goBack();
    await page.getByRole("link", { name: /^Rotate a laptop/ }).click();
    await assertSoundInAllLooks(page, "key-rotate");
    await press(page, "Rotate the key");
    await page.getByText("The old key stays valid for 1 day").waitFor();
    await page.goto(`${address}/dashboard`);
    await assertSoundInAllLooks(page, "dashboard-rotated");
    const old = page.getByRole("row", { name: "rotated: valid until" });
    assert.deepEqual(await old.getByRole("link").allInnerTexts(), ["Rename", "Revoke"]);
  });

  await t.test("a key is revoked after a question", async () => {
    const { page } = visitor;
    await page.goto(`${address}/dashboard`);
    const old = page.getByRole("row", { name: "rotated: valid until" });
    await old.getByRole("link", { name: "Revoke" }).click();
    await assertSoundInAllLooks(page, "key-revoke");
    await press(page, "Revoke the key");
    await page.getByText("is revoked. Requests with it are refused from now on").waitFor();
    await page.getByText("revoked", { exact: true }).waitFor();
    await assertSoundInAllLooks(page, "dashboard-revoked");
  });

  await t.test("an address that was used, and a page of operators, lead a member nowhere", async () => {
    const { page } = await visit(new URL(adasAddress).pathname);
    t.after(() => page.context().close());
    await heading(page, "This link does not work");
    await assertSoundInAllLooks(page, "address-dead");
    assert.equal((await visitor.page.goto(`${address}/admin`))?.status(), 404);
    await assertSoundInAllLooks(visitor.page, "not-found");
  });

  await t.test("who is signed in and opens an address learns who that is", async () => {
    const { page } = visitor;
    await page.goto(await newLink(ada));
    await page.getByText(`You are already signed in as ${ada}`).waitFor();
    await assertSoundInAllLooks(page, "address-signed-in");
    await using redis = await connectStore();
    await approve(redis, { email: bob, team: "bees" }, commandActor);
    await page.goto(await newLink(bob));
    await page.getByText(`This browser is signed in as ${ada}`).waitFor();
    await assertSoundInAllLooks(page, "address-of-another");
  });

  await t.test("without the durable Redis the rest goes on, and sign-in says so", async () => {
    const { page } = visitor;
    await durable.kill();
    const response = await page.goto(`${address}/dashboard`);
    assert.equal(response?.status(), 503);
    await heading(page, "Signing in is not possible right now");
    await assertSoundInAllLooks(page, "away");
    assert.equal((await page.goto(`${address}/sign-in`))?.status(), 503);
    assert.equal((await page.goto(`${address}/`))?.status(), 200);
    assert.equal((await page.goto(`${address}/docs`))?.status(), 200);
    await durable.startAgain();
    await waitUntil("the session is there again", async () => {
      return (await page.goto(`${address}/dashboard`))?.status() === 200;
    });
    await heading(page, "Dashboard");
  });

  await t.test("who signs out is out, and signs in by a new mail", async () => {
    const { page } = visitor;
    await press(page, "Sign out");
    await page.getByText("You are signed out.").waitFor();
    await page.goto(`${address}/dashboard`);
    await page.waitForURL("**/sign-in");
    await assertSoundInAllLooks(page, "sign-in");
    await page.getByLabel("Email").fill(ada);
    await press(page, "Send me a sign-in link");
    await heading(page, "Check your mail");
    await assertSoundInAllLooks(page, "sign-in-sent");
    await signIn(page, await mailedAddress(ada, 2));
  });

  await t.test("a key is made by keyboard alone and without scripts", async () => {
    const link = await newLink(bob);
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(link);
    await tabTo(page, "Sign in", "main");
    await page.keyboard.press("Enter");
    await heading(page, "Dashboard");
    await tabTo(page, "", "#name");
    await page.keyboard.type("by keyboard");
    await page.keyboard.press("Enter");
    await heading(page, "Your new key");
    await page.goto(`${address}/dashboard`);
    await page.getByText("by keyboard").waitFor();
    await context.close();
  });

  await t.test("no page had an error in the console, or a violation of its policy", () => {
    // Chromium reports responses of 4xx and 5xx as errors.
    const own = [...visitor.faults, ...operator.faults].filter((fault) => !/status of [45]\d\d/.test(fault));
    assert.deepEqual(own, []);
  });
});

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

/** Runs `npm run keys -- …` with these settings. Throws with what it printed if it fails. */
const commandWith =
  (settings: Record<string, string>) =>
  async (...args: string[]): Promise<string> => {
    const main = join(import.meta.dirname, "../../deploy/commands/keys.ts");
    const env = { ...process.env, ...settings };
    return (await promisify(execFile)(process.execPath, [main, ...args], { env })).stdout;
  };
