import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** Asserts that axe finds nothing with everything open, and that the page fits the narrowest screen. */
export async function assertSound(page: Page, path: string): Promise<void> {
  await page.evaluate(`for (const each of document.querySelectorAll("details")) each.open = true`);
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found = violations.map(({ id, impact, nodes }) => ({ id, impact, html: nodes[0]?.html }));
  assert.deepEqual(found, [], path);
  const size = page.viewportSize()!;
  await page.setViewportSize({ width: narrowestPx, height: size.height });
  const scrollWidth = await page.evaluate<number>("document.documentElement.scrollWidth");
  assert.ok(scrollWidth <= narrowestPx, `${path} is ${scrollWidth} px wide on a screen of ${narrowestPx} px`);
  const isCut = await page.evaluate<boolean>(
    `[...document.querySelectorAll(".wide.cards")].some((each) => each.scrollWidth > each.clientWidth)`,
  );
  assert.ok(!isCut, `a table of ${path} has to be scrolled sideways`);
  await page.setViewportSize(size);
}

const narrowestPx = 320;

/** Checks a page in both themes, wide and narrow. Keeps screenshots if SCREENSHOTS names a folder. */
export async function assertSoundInAllLooks(page: Page, state: string): Promise<void> {
  const folder = process.env["SCREENSHOTS"];
  for (const width of [1_280, 390]) {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      if (folder !== undefined) {
        await page.evaluate(`for (const each of document.querySelectorAll("details")) each.open = false`);
        mkdirSync(folder, { recursive: true });
        await page.screenshot({ path: join(folder, `${state}-${width}-${colorScheme}.png`), fullPage: true });
      }
      await assertSound(page, `${state}, ${width} px, ${colorScheme}`);
    }
  }
}

/** Loads the page again, without the Refresh header: no other page takes its place amid a check. */
export async function stopRefresh(page: Page): Promise<void> {
  await page.route(page.url(), async (route) => {
    const response = await route.fetch();
    const { refresh: _refresh, ...headers } = response.headers();
    await route.fulfill({ response, headers });
  });
  await page.reload();
}
