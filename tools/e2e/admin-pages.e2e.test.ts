// Covers web/src/accounts/admin-* and `npm run keys -- operator` and `forget` in a browser.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { findChromium, openChromium, openPage, withoutChromium } from "@faceline/testing/browser";
import { assertSoundInAllLooks } from "@faceline/testing/page-checks";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { apiClient } from "./stack/api-client.ts";
import { startStack } from "./stack/stack.ts";

const vectors = { model_name: "SFace", img1: Array(128).fill(0.1), img2: Array(128).fill(0.1) };
const run = randomBytes(4).toString("hex");
const operator = `olga-${run}@example.test`;
const applicant = `ada-${run}@example.test`;
const team = `ants-${run}`;

test("from an empty installation to an approved team with limits, in a browser", async (t) => {
  const chromium = await findChromium();
  if (chromium === undefined) return t.skip(withoutChromium);
  const browser = await openChromium(chromium);
  t.after(() => browser.close());
  const { address } = await startStack(t);
  const keys = async (...args: string[]) => {
    const env = { ...process.env, PUBLIC_URL: address };
    const command = join(repository, "deploy", "commands", "keys.ts");
    return (await promisify(execFile)(process.execPath, [command, ...args], { env })).stdout;
  };
  const admin = await openPage(browser);
  const visitor = await openPage(browser);
  let shown = "";

  await t.test("the first operator signs in with the address that the command printed", async () => {
    const [, printed = ""] = /^(http\S+)$/m.exec(await keys("operator", "--email", operator)) ?? [];
    await admin.page.goto(printed);
    await press(admin.page, "Sign in");
    await admin.page.getByRole("heading", { name: "Waitlist" }).waitFor();
    for (const name of ["Teams", "Usage", "People", "Audit log", "Waitlist"]) {
      await openAdminPage(admin.page, name);
      await assertSoundInAllLooks(admin.page, `admin-empty-${name.toLowerCase()}`);
    }
  });

  await t.test("somebody joins the waitlist, and is approved with limits", async () => {
    await visitor.page.goto(`${address}/waitlist`);
    await visitor.page.getByLabel("Email").fill(applicant);
    await visitor.page.getByLabel("Team").fill(`Ants ${run}`);
    await visitor.page.getByLabel("What do you want").fill("Badges at two doors.\n<script>alert(1)</script>");
    await press(visitor.page, "Join the waitlist");
    await visitor.page.getByRole("heading", { name: "You are on the waitlist" }).waitFor();
    await visitor.page.getByRole("link", { name: "send the form again" }).click();
    await visitor.page.getByLabel("Email").fill(applicant);
    await visitor.page.getByLabel("Team").fill(`Ants ${run}`);
    await visitor.page.getByLabel("What do you want").fill("Badges at three doors.");
    await press(visitor.page, "Join the waitlist");
    await visitor.page.getByRole("heading", { name: "You are on the waitlist" }).waitFor();

    const { page } = admin;
    await page.reload();
    await page.getByText("Badges at three doors.").waitFor();
    await page.getByText("What was sent first").click();
    await page.getByText("<script>alert(1)</script>").waitFor();
    await assertSoundInAllLooks(page, "admin-waitlist");
    await page.getByRole("link", { name: applicant }).click();
    assert.equal(await page.getByLabel("Team").inputValue(), team);
    await page.getByText("Limits of a new team").click();
    await page.getByLabel("Requests per second").fill("many");
    await press(page, "Approve");
    await page.getByRole("alert").getByText("Enter a whole number").waitFor();
    await assertSoundInAllLooks(page, "admin-entry-wrong");
    await page.getByLabel("Requests per second").fill("5");
    await press(page, "Approve");
    await page.getByRole("heading", { name: `${applicant} is approved` }).waitFor();
    await assertSoundInAllLooks(page, "admin-approved");
    shown = (await page.locator("pre").innerText()).trim();
    assert.ok(shown.startsWith(`${address}/sign-in/`));
    await page.reload();
    await page.getByText(`${applicant} is a member now`).waitFor();
    await page.getByText("One link works").waitFor();
    await assertSoundInAllLooks(page, "admin-person-approved");
  });

  await t.test("the new member signs in, sees the limits, and no page of operators", async () => {
    await visitor.page.goto(shown);
    await press(visitor.page, "Sign in");
    await visitor.page.getByRole("heading", { name: "Dashboard" }).waitFor();
    await visitor.page.getByRole("row", { name: "Requests per second 5" }).waitFor();
    assert.equal(await visitor.page.getByRole("link", { name: "Admin" }).count(), 0);
    const response = await visitor.page.goto(`${address}/admin/people`);
    assert.equal(response?.status(), 404);
  });

  await t.test("an operator sees a key of the team, and revokes it after a question", async () => {
    await visitor.page.goto(`${address}/dashboard`);
    await visitor.page.getByLabel("Name of a new key").fill("the badge reader at the door");
    await press(visitor.page, "Create a key");
    const key = (await visitor.page.locator("pre code").first().innerText()).trim();
    const post = apiClient(address, key);
    assert.equal((await post("/verify", vectors)).status, 200);

    const { page } = admin;
    await page.goto(`${address}/admin/teams/${team}`);
    await page.getByRole("link", { name: "Revoke the badge reader" }).click();
    await assertSoundInAllLooks(page, "admin-key-revoke");
    await press(page, "Revoke the key");
    await page.getByText("is revoked. Requests with it are refused").waitFor();
    await assertSoundInAllLooks(page, "admin-team-key-revoked");
    await waitUntil("the key is refused", async () => (await post("/verify", vectors)).status === 403);
  });

  await t.test("the usage of all teams has the calls of the team, and those without a key", async () => {
    const { page } = admin;
    assert.equal((await apiClient(address, "made-up")("/verify", vectors)).status, 401);
    await waitUntil("the calls are counted", async () => {
      await page.goto(`${address}/admin/usage`);
      return (await page.getByRole("row", { name: "Without a valid key" }).count()) > 0;
    });
    await page.getByRole("row", { name: team }).waitFor();
    await assertSoundInAllLooks(page, "admin-usage");
    await page.getByRole("link", { name: team }).click();
    await page.getByRole("link", { name: "key_disabled" }).waitFor();
    await assertSoundInAllLooks(page, "admin-team-errors");
  });

  await t.test("every page of operators is sound in both themes, wide and narrow", async () => {
    const { page } = admin;
    for (const name of ["Teams", "People"]) {
      await openAdminPage(page, name);
      await assertSoundInAllLooks(page, `admin-${name.toLowerCase()}`);
    }
    await page.goto(`${address}/admin/teams/${team}`);
    await page.getByLabel("Requests in flight").fill("2");
    await press(page, "Save the limits");
    await page.getByText("The limits are saved").waitFor();
    await assertSoundInAllLooks(page, "admin-team");
    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByRole("rowheader", { name: "approved", exact: true }).first().waitFor();
    await page.getByText("Requests in flight: default → 2").waitFor();
    await page.getByRole("row", { name: /key revoked “the badge reader at the door”/ }).waitFor();
    await assertSoundInAllLooks(page, "admin-audit");
    await page.goto(`${address}/admin/people`);
    await page.getByRole("link", { name: applicant }).click();
    await assertSoundInAllLooks(page, "admin-person");
  });

  await t.test(
    "a sign-in link that was lost is replaced, and one that is open can be cancelled",
    async () => {
      const { page } = admin;
      await press(page, "Make a sign-in link");
      const first = (await page.locator("pre").innerText()).trim();
      await page.reload();
      await page.getByText("If it is lost, create a new one below").waitFor();
      await press(page, "Make a new sign-in link");
      const second = (await page.locator("pre").innerText()).trim();
      assert.equal((await fetch(first)).status, 404);
      assert.equal((await fetch(second)).status, 200);
      await page.reload();
      await press(page, "Cancel the link");
      await page.getByText("They no longer work").waitFor();
      assert.equal((await fetch(second)).status, 404);
      await assertSoundInAllLooks(page, "admin-person-cancelled");
    },
  );

  await t.test(
    "sessions that an operator ends are ended, and so are those of a forgotten person",
    async () => {
      await press(admin.page, "End all sessions");
      await admin.page.getByText("They are not signed in anywhere").waitFor();
      await visitor.page.goto(`${address}/dashboard`);
      await visitor.page.waitForURL("**/sign-in");

      await press(admin.page, "Make a sign-in link");
      const unused = (await admin.page.locator("pre").innerText()).trim();
      assert.match(await keys("forget", "--email", applicant), /is forgotten/);
      await visitor.page.goto(unused);
      await visitor.page.getByText("was used already, has expired").waitFor();
      await admin.page.goto(`${address}/admin/audit`);
      await admin.page.getByRole("rowheader", { name: "person forgotten" }).waitFor();
      assert.equal(await admin.page.getByText(applicant).count(), 0);
      assert.deepEqual([...withoutStatus(admin.faults), ...withoutStatus(visitor.faults)], []);
    },
  );
});

const press = (page: Page, name: string) => page.locator("main").getByRole("button", { name }).click();

async function openAdminPage(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Admin" }).getByRole("link", { name }).click();
  await page.getByRole("heading", { name, level: 1 }).waitFor();
}

/** A page with a status of 400 or more is an error in the console, too. */
const withoutStatus = (faults: string[]): string[] =>
  faults.filter((fault) => !fault.startsWith("Failed to load resource: the server responded with a status"));
