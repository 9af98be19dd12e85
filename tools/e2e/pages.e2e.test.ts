// Covers web/src in a browser, browser/theme.ts and browser/code.ts too.
import assert from "node:assert/strict";
import test from "node:test";
import type { Page } from "playwright-core";
import { findChromium, openChromium, openPage, withoutChromium } from "@faceline/testing/browser";
import { assertSound } from "@faceline/testing/page-checks";
import { startStack } from "./stack/stack.ts";

const looks = [
  { width: 1_280, colorScheme: "light" },
  { width: 390, colorScheme: "dark" },
] as const;

test("the public pages, in a browser", async (t) => {
  const chromium = await findChromium();
  if (chromium === undefined) return t.skip(withoutChromium);
  const browser = await openChromium(chromium);
  t.after(() => browser.close());
  const { address } = await startStack(t);

  for (const look of looks) {
    await t.test(`every page is sound at ${look.width} px in ${look.colorScheme} colours`, async (t) => {
      const { page, faults } = await openPage(browser, look);
      t.after(() => page.context().close());
      const paths = new Set(["/"]); // Also grows while it is iterated.
      for (const path of paths) {
        const response = await page.goto(address + path);
        assert.equal(response?.status(), 200, path);
        for (const link of await linksOf(page)) paths.add(link);
        const isListed = await page.evaluate<boolean>(
          `[...document.querySelectorAll(".side [aria-current]")].every((entry) => !entry.checkVisibility() || entry.getBoundingClientRect().bottom < innerHeight)`,
        );
        assert.ok(isListed, `the list of contents does not show the entry of ${path}`);
        await assertSound(page, path);
        assert.deepEqual(faults, [], path);
      }
      assert.ok(paths.has("/docs") && paths.has("/docs/errors"), [...paths].join(" "));
      t.diagnostic(`${paths.size} pages`);
    });
  }

  await t.test("an address without a page says so, and is sound", async (t) => {
    const { page } = await openPage(browser);
    t.after(() => page.context().close());
    const response = await page.goto(`${address}/docs/nothing`);
    assert.equal(response?.status(), 404);
    await assertSound(page, "/docs/nothing");
  });

  await t.test("a theme and a language that were chosen stay chosen on the next page", async (t) => {
    const { page, faults } = await openPage(browser);
    t.after(() => page.context().close());
    await page.goto(`${address}/docs`);
    await page.getByRole("button", { name: "Use the dark theme" }).click();
    const python = page.getByRole("radio", { name: "Python" }).first();
    await python.focus();
    await page.keyboard.press("Space");
    await page.goto(`${address}/docs/quick-start`);
    assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
    assert.equal(await page.getByRole("radio", { name: "Python" }).first().isChecked(), true);
    await page.getByRole("button", { name: "Use the light theme" }).click();
    assert.equal(await page.locator("html").getAttribute("data-theme"), null);
    assert.deepEqual(faults, []);
  });

  await t.test("a search is reached by a key, moves by arrows and leads to a section", async (t) => {
    const { page, faults } = await openPage(browser);
    t.after(() => page.context().close());
    await page.goto(`${address}/docs/quick-start`);
    await page.keyboard.press("/");
    await page.keyboard.type("queue full");
    const results = page.locator(".results a");
    await results.first().waitFor();
    await assertSound(page, "results of a search");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/docs/errors#queue_full");
    await page.keyboard.press("/");
    await page.keyboard.type("nothing is called so");
    await page.getByText("No results for").first().waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".results").isVisible(), false);
    assert.deepEqual(faults, []);
  });

  await t.test("the first stop of the Tab key leads past the menu to the content", async (t) => {
    const { page } = await openPage(browser);
    t.after(() => page.context().close());
    await page.goto(`${address}/docs`);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(new URL(page.url()).hash, "#main");
  });
});

/** The paths of the pages of this service that the page links to. */
async function linksOf(page: Page): Promise<string[]> {
  const links = await page.evaluate<string[]>(
    `[...document.querySelectorAll("a[href]")].filter((a) => a.origin === location.origin).map((a) => a.pathname)`,
  );
  return links.filter((path) => path === "/" || /^\/docs(\/|$)/.test(path));
}
