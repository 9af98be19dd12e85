// Covers `npm run plan -- run` as a process, and the page of a plan in a browser.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { findChromium, openChromium, openPage, withoutChromium } from "@faceline/testing/browser";
import { assertSoundInAllLooks } from "@faceline/testing/page-checks";

test("the page of a plan is sound in every look, where the target is met and where it is not", async (t) => {
  const chromium = await findChromium();
  if (chromium === undefined) return t.skip(withoutChromium);
  const folder = mkdtempSync(join(tmpdir(), "faceline-plan-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const plan = (...args: string[]) =>
    promisify(execFile)(process.execPath, [join(repository, "tools/planner/main.ts"), ...args], {
      env: { ...process.env, FACELINE_STATE: folder },
    }).then(
      () => 0,
      (error: { code: number }) => error.code,
    );
  await plan("calibrate", "--engine", "model:20+2b", "--workers", "2", "--batch-max", "8", "--rounds", "3");
  const browser = await openChromium(chromium);
  t.after(() => browser.close());
  for (const [name, target, code, words] of plans) {
    const html = join(folder, `${name}.html`);
    assert.equal(await plan("run", ...traffic, "--target", target, "--html", html), code, name);
    const { page, faults } = await openPage(browser);
    await page.goto(pathToFileURL(html).href);
    await page.getByText(words).first().waitFor();
    await assertSoundInAllLooks(page, name);
    assert.deepEqual(faults, []);
  }
});

const traffic = "--draw bursts --rate 120 --seconds 40 --workers-max 3 --utilisation 0.85".split(" ");

/** Names, targets, exit codes and words of plans, one that meets its target and one that cannot. */
const plans: [name: string, target: string, code: number, words: string][] = [
  ["plan-met", "p99<600000ms,shed<50%", 0, "are the cheapest settings"],
  ["plan-unmet", "p99<10ms,shed<0.5%", 2, "What can be had"],
];
