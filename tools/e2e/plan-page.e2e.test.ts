// Covers tools/planner/report/page.ts in a browser, and `npm run plan -- run` as a process.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
  writeFileSync(join(folder, "profile.json"), JSON.stringify(profile));
  const browser = await openChromium(chromium);
  t.after(() => browser.close());
  for (const { name, target, code, words } of cases) {
    const file = join(folder, `${name}.html`);
    const args = ["--target", target, "--html", file, "--profile", join(folder, "profile.json")];
    const command = [join(repository, "tools/planner/main.ts"), "run", ...traffic, ...args];
    const ended = await promisify(execFile)(process.execPath, command, {
      env: { ...process.env, FACELINE_STATE: folder },
    }).then(
      () => 0,
      (error: { code: number }) => error.code,
    );
    assert.equal(ended, code);
    const { page, faults } = await openPage(browser);
    await page.goto(pathToFileURL(file).href);
    await page.getByText(words).first().waitFor();
    await assertSoundInAllLooks(page, name);
    assert.deepEqual(faults, []);
    const screenshots = process.env["SCREENSHOTS"];
    if (screenshots !== undefined) await page.pdf({ path: join(screenshots, `${name}.pdf`), format: "A4" });
  }
});

const traffic = "--draw bursts --rate 120 --seconds 40 --workers-max 3 --utilisation 0.85".split(" ");

const cases = [
  { name: "plan-met", target: "p99<300ms,shed<0.5%", code: 0, words: "are the cheapest settings" },
  { name: "plan-unmet", target: "p99<40ms,shed<0.5%", code: 2, words: "What can be had" },
];

/** A modelled machine that takes 20 + 2b ms for a batch of b. */
const profile = {
  format: "faceline-profile",
  version: 2,
  measuredAt: "2026-01-01T00:00:00Z",
  machine: { cpu: "modelled", cores: 2, memoryMiB: 1_024 },
  lanes: [
    {
      lane: "Dlib/ssd",
      digest: "0".repeat(16),
      precision: "float32",
      executionProvider: "model",
      runs: [1, 2, 4, 8, 16].map((size) => ({
        size,
        ms: [0.9, 1, 1.1].map((factor) => factor * (20 + 2 * size)),
      })),
      contention: [1, 1.1],
      cpuShare: 0,
    },
  ],
  preparation: { pictureMs: 1.5, megapixelMs: 0, megabyteMs: 0, factors: [0.8, 1, 1.2] },
};
