// Covered by ../e2e/pages.e2e.test.ts and ../e2e/tester.e2e.test.ts.
import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

/** With everything open, axe finds nothing, and the page is not wider than the narrowest screen. */
export async function assertSound(page: Page, path: string): Promise<void> {
  await page.evaluate(`for (const each of document.querySelectorAll("details")) each.open = true`);
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found = violations.map(({ id, impact, nodes }) => ({ id, impact, html: nodes[0]?.html }));
  assert.deepEqual(found, [], path);
  const size = page.viewportSize()!;
  await page.setViewportSize({ width: narrowestPx, height: size.height });
  const scrollWidth = await page.evaluate<number>("document.documentElement.scrollWidth");
  assert.ok(scrollWidth <= narrowestPx, `${path} is ${scrollWidth} px wide on a screen of ${narrowestPx} px`);
  await page.setViewportSize(size);
}

const narrowestPx = 320;
