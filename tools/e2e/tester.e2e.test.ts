// Covers web/src/tester and web/src/browser/tester in a browser.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { findChromium, openChromium, openPage, withoutChromium } from "@faceline/testing/browser";
import { assertSoundInAllLooks } from "@faceline/testing/page-checks";
import { startStack } from "./stack/stack.ts";

const sample = (name: string): string =>
  fileURLToPath(new URL(`../../web/src/samples/${name}.jpg`, import.meta.url));

test("the tester, in a browser", async (t) => {
  const chromium = await findChromium();
  if (chromium === undefined) return t.skip(withoutChromium);
  const folder = mkdtempSync(join(process.env["FACELINE_TEST_RUN"] ?? tmpdir(), "tester-"));
  const camera = join(folder, "camera.mjpeg");
  writeFileSync(camera, await sharp(sample("dia-2")).resize(480, 640).jpeg().toBuffer());
  const browser = await openChromium(chromium, camera);
  t.after(() => browser.close());
  // Each visitor has an address of its own, so that the limit of one is not that of the others.
  const { address } = await startStack(t, { ownSettings: { ingress: { TRUSTED_PROXIES: "127.0.0.1" } } });
  let visitors = 0;
  const visit = async (t: TestContext, query = "", language = "en") => {
    const headers = { "x-forwarded-for": `192.0.2.${++visitors}`, "accept-language": language };
    const { page, faults } = await openPage(browser, { headers });
    t.after(() => page.context().close());
    await page.goto(address + query);
    return { page, faults };
  };
  /** Runs a test on the page with the first pair's answer, in which nothing is wrong in the console. */
  const onPage = (name: string, run: (page: Page) => Promise<void>) =>
    t.test(name, async (t) => {
      const { page, faults } = await visit(t);
      await headline(page, /Same person/);
      await run(page);
      assert.deepEqual(faults, []);
    });

  await t.test("the first pair's answer is there before a visitor has done anything", async (t) => {
    const { page, faults } = await visit(t);
    await headline(page, /^Same person \(at\sthis\sthreshold\)$/);
    assert.equal(await page.locator(".slot .face.counted").count(), 2);
    assert.match(await page.locator(".scale").innerText(), /^Distance 0\.\d{3,4}\s+Threshold 0\.5930$/);
    assert.equal(await page.getByText("None of 77,221 pairs").isVisible(), false);
    await page.getByText("How sure is this?").click();
    assert.match(
      await page.locator(".sure").innerText(),
      /None of 77,221 pairs of different people look this alike\..*Estimated from 77,221 pairs/s,
    );
    for (const size of [
      { width: 1_280, height: 800 },
      { width: 390, height: 844 },
    ]) {
      await page.setViewportSize(size);
      const box = await page.locator("#headline").boundingBox();
      const end = box!.y + box!.height;
      assert.ok(end <= size.height, `the headline ends at ${end} of ${size.height} px, width ${size.width}`);
    }
    const place = () => page.evaluate<number>(`document.querySelector(".result").offsetTop`);
    const placeOfAnswer = await place();
    await page.getByText(/^Answered in [\d,]+ ms for these samples: where the time went$/).click();
    assert.ok((await page.locator(".time tbody tr").count()) > 4);
    const { images, others } = await bytesOnTheWire(page);
    t.diagnostic(`${others} bytes without images, ${images} of images, headers included`);
    // /capabilities has 13 KB, half of them the card of the model.
    assert.ok(others + images <= 110 * 1024, `${others}, ${images}`);
    await assertSoundInAllLooks(page, "first-pair");
    assert.deepEqual(faults, []);
    await page.route("**/tester.js", (route) => route.abort());
    await page.reload();
    assert.equal(await place(), placeOfAnswer, "nothing above the answer moves when the script has come");
  });

  await onPage("two files: the answer comes by itself, and the same call as curl", async (page) => {
    await choose(page, 0, sample("ada-1"));
    await choose(page, 1, sample("chi-2"));
    await headline(page, /^Different people \(at this threshold\)$/);
    assert.equal(await page.locator("#status").innerText(), await page.locator("#headline").innerText());
    assert.match(await page.locator(".in-curl").innerText(), /-F img1=@ada-1\.jpg \\\n +-F img2=@chi-2\.jpg/);
    await assertSoundInAllLooks(page, "different");
  });

  await onPage("an image that is pasted goes to the empty place", async (page) => {
    await page.getByRole("button", { name: "Remove the second image" }).click();
    await headline(page, /^Add a second image to compare$/);
    await assertSoundInAllLooks(page, "one-missing");
    // An image of the visitor's own takes the place of both samples.
    await paste(page, sample("chi-1"));
    await page.getByAltText("The second image: pasted.jpg").waitFor();
    await page.getByAltText("The first image: dia-1.jpg").waitFor({ state: "hidden" });
    await paste(page, sample("ada-1"));
    await headline(page, /Different people/);
  });

  await onPage(
    "a file that is dropped on a place is taken, and one beside it leaves the page",
    async (page) => {
      await drop(page, ".slot:nth-child(2)", sample("ada-2"));
      await headline(page, /^Add a second image to compare$/);
      await drop(page, ".slot:nth-child(1)", sample("ada-1"));
      await headline(page, /Same person/);
      await drop(page, "h1", sample("chi-1"));
      await headline(page, /Same person/);
    },
  );

  await onPage("the camera takes an image, and says how to allow it", async (page) => {
    await choose(page, 0, sample("dia-1"));
    await headline(page, /^Add a second image to compare$/);
    const open = page.getByRole("button", { name: "Camera: take the second image" });
    await open.click();
    await page.getByText("The browser does not let this page use the camera").waitFor();
    await assertSoundInAllLooks(page, "camera-refused");
    await page.keyboard.press("Escape");
    await page.context().grantPermissions(["camera"]);
    await open.click();
    await page.getByRole("button", { name: "Take photo" }).click();
    await page.getByAltText("The second image: camera.jpg").waitFor();
    await headline(page, /Same person/);
  });

  await onPage("by keyboard alone: a sample, another metric, and the threshold", async (page) => {
    await page.getByAltText("Sample ada-1").locator("..").focus();
    await page.keyboard.press("Enter");
    await headline(page, /Different people/);
    await page.getByText("Model and threshold").focus();
    await page.keyboard.press("Enter");
    const metric = page.getByRole("combobox", { name: "Metric" });
    await metric.focus();
    await page.keyboard.press("e");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/?metric=euclidean&samples=ada-1.dia-2");
    await page.locator(".scale", { hasText: "Threshold 1.089" }).waitFor();
    const threshold = page.getByRole("slider", { name: "Threshold" });
    await threshold.focus();
    const replied = page.waitForResponse("**/tester/verify");
    await page.keyboard.press("End");
    await headline(page, /Just within/); // The largest threshold is less than a tenth above their distance.
    await page.waitForURL("**/?metric=euclidean&threshold=*");
    await replied;
    await page.locator(".json code", { hasText: '"verified": true' }).waitFor();
    // The handle keeps the focus when the answer comes.
    await page.keyboard.press("Home");
    await headline(page, /Different people/);
  });

  await onPage(
    "a threshold that is moved step by step is decided in the page, and sent once",
    async (page) => {
      let calls = 0;
      page.on("request", (request) => {
        if (request.url().endsWith("/tester/verify")) calls++;
      });
      await page.clock.install();
      await page.clock.pauseAt(Date.now() + 60_000);
      await page.getByRole("slider", { name: "Threshold" }).focus();
      await page.keyboard.press("Home");
      await headline(page, /Different people/);
      for (let step = 0; step < 10; step++) {
        await page.keyboard.press("ArrowRight");
        await page.clock.runFor(250);
      }
      assert.equal(calls, 0);
      const replied = page.waitForResponse("**/tester/verify");
      await page.clock.runFor(1_000);
      const { threshold } = (await (await replied).json()) as { threshold: number };
      await page.locator(".json code", { hasText: `"threshold": ${threshold},` }).waitFor();
      await page.locator(".in-curl", { hasText: `-F threshold=${threshold}` }).waitFor();
      assert.equal(calls, 1);
    },
  );

  await onPage("a threshold that is no number is refused beside its field, and not sent", async (page) => {
    let calls = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/tester/verify")) calls++;
    });
    await page.getByText("Model and threshold").click();
    const field = page.getByRole("textbox", { name: "Threshold" });
    for (const text of ["abc", "-1"]) {
      await field.fill(text);
      await field.press("Enter");
      await page.getByText("The threshold must be a number of 0 or more.").first().waitFor();
      assert.equal(await field.getAttribute("aria-invalid"), "true");
    }
    await field.fill("1.4");
    await field.press("Enter");
    await page.getByText("The threshold is a distance: it must be between 0 and 0.92").first().waitFor();
    const description = await field.getAttribute("aria-describedby");
    assert.match(await page.locator(`#${description}`).innerText(), /^The threshold is a distance/);
    assert.match(await page.locator(".scale").innerText(), /Threshold 0\.5930/);
    await assertSoundInAllLooks(page, "no-threshold");
    await field.fill("0,8");
    await field.press("Enter");
    await page.locator(".scale", { hasText: "Threshold 0.8000" }).waitFor();
    assert.equal(await field.getAttribute("aria-invalid"), "false");
    await page.locator(".json code", { hasText: '"threshold": 0.8,' }).waitFor();
    await page.getByText(/^The threshold 0\.8 matches about \d+% of pairs of different people/).waitFor();
    assert.equal(calls, 1);
  });

  await onPage("of three files the third is left out, and the page says so", async (page) => {
    await drop(page, ".slot:nth-child(1)", sample("ada-1"), sample("chi-1"), sample("ada-2"));
    await headline(page, /Different people/);
    await page.getByText("Only two images are compared.").waitFor();
  });

  await t.test(
    "one against many: the candidate without a face is named and marked by its number on the page",
    async (t) => {
      const { page } = await visit(t, "/?call=compare&samples=dia-1.dia-2.chi-1");
      await headline(page, /^Nearest: dia,/);
      const wall = await image(folder, "wall-of-many.png", {
        width: 600,
        height: 400,
        background: "#88aacc",
      });
      await choose(page, 3, wall);
      await page.getByRole("cell", { name: "No face was found in candidate 3." }).waitFor();
      const fault = page.locator(".slot.at-fault");
      assert.match(await fault.innerText(), /^Candidate 3[\s\S]+No face was found in candidate 3\./);
      await assertSoundInAllLooks(page, "candidate-at-fault");
      await page.getByRole("button", { name: "Remove the candidate 1" }).click();
      await page.getByRole("cell", { name: "No face was found in candidate 2." }).waitFor();
      assert.match(await fault.innerText(), /^Candidate 2/);
      await page.getByRole("button", { name: "Remove the candidate 1" }).click();
      await headline(page, /^No face was found in candidate 1\.$/);
      assert.match(await fault.innerText(), /^Candidate 1/);
    },
  );

  await onPage("an image with two faces: both are numbered, and the other one may be used", async (page) => {
    const both = join(folder, "both.jpg");
    const side = await sharp(sample("chi-1")).resize({ height: 640 }).toBuffer();
    const { width } = await sharp(side).metadata();
    await sharp(await sharp(sample("dia-2")).resize({ height: 640 }).toBuffer())
      .extend({ right: width, background: "#999999" })
      .composite([{ input: side, gravity: "east" }])
      .jpeg()
      .toFile(both);
    await choose(page, 0, sample("dia-1"));
    await choose(page, 1, both);
    await page.getByText("2 faces. Face").waitFor();
    await headline(page, /Same person/);
    const boxes = page.locator(".slot:nth-child(2)").getByRole("button", { name: /^Use face/ });
    assert.equal(await boxes.count(), 2);
    assert.equal(await page.locator(".slot:nth-child(2) .face.counted").count(), 1);
    await assertSoundInAllLooks(page, "two-faces");
    await boxes.and(page.locator('[aria-pressed="false"]')).click();
    await headline(page, /Different people/);
    const name = /You chose face (\d)/.exec(await page.locator(".faces").nth(1).innerText())?.[1];
    await page.locator(".in-curl", { hasText: `-F img2=@both-face-${name}.jpg` }).waitFor();
    assert.equal(await page.getByRole("link", { name: `both-face-${name}.jpg` }).count(), 1);
    assert.match(await page.locator(".json code").innerText(), /"img2": 1/);
    await assertSoundInAllLooks(page, "face-chosen");
    // The box has the focus: it is a button for the keyboard too.
    await page.locator('.box[aria-pressed="true"]').press("Enter");
    await headline(page, /Same person/);
  });

  await onPage("the samples that are shown stand out, and their names say where", async (page) => {
    await page.getByAltText("Sample dia-1, shown as the first image").waitFor();
    await page.getByAltText("Sample ada-1").click();
    await page.getByAltText("Sample ada-1, shown as the first image").waitFor();
    assert.equal(await page.locator(".sample.shown").count(), 2);
  });

  await onPage("a file that is no image says what to use", async (page) => {
    const file = join(folder, "photo.heic");
    writeFileSync(file, "not an image");
    await choose(page, 0, file);
    await page.getByText("Your browser cannot open HEIC images.").first().waitFor();
    await headline(page, /^Add a second image to compare$/);
  });

  await onPage("each way to try has its headline, and none loses an image of another", async (page) => {
    const title = () => page.locator("h1").innerText();
    await page.getByRole("radio", { name: "One image" }).check();
    await headline(page, /^One face found$/);
    assert.equal(await title(), "Which faces does an image show?");
    await assertSoundInAllLooks(page, "represent");
    await page.getByRole("radio", { name: "One against many" }).check();
    await headline(page, /^Nearest: dia, within the threshold$/);
    assert.equal(await title(), "Which face is the closest match?");
    assert.equal(await page.locator(".slot .face.counted").count(), 6);
    const rows = page.locator(".answer tbody tr");
    assert.deepEqual((await rows.locator("th").allInnerTexts()).map((text) => text.trim()).toSorted(), [
      "ada",
      "chi",
      "dia",
    ]);
    assert.equal(new URL(page.url()).search, "?call=compare");
    await assertSoundInAllLooks(page, "compare");
    const several = [sample("chi-2"), sample("ada-2")];
    await page.locator('.slot input[type="file"]').last().setInputFiles(several);
    await page.getByAltText("The candidate 7: ada-2.jpg").waitFor();
    await rows.nth(4).waitFor();
    // Images of one name are references of one person.
    await page.getByLabel("Person: candidate 7").fill("ada");
    await page.keyboard.press("Enter");
    await rows.nth(4).waitFor({ state: "detached" });
    assert.equal(await rows.filter({ hasText: "ada" }).locator("img").count(), 3);
    await page.getByRole("radio", { name: "Two images" }).check();
    await headline(page, /^Same person/);
    await page.getByRole("radio", { name: "One against many" }).check();
    await page.getByAltText("The candidate 7: ada-2.jpg").waitFor();
  });

  await t.test("a face and its lines of the response stand out together", async (t) => {
    const { page } = await visit(t);
    await headline(page, /Same person/);
    await page.locator(".slot:nth-child(1) .face rect").hover();
    const lines = await page.locator(".line.highlighted").allInnerTexts();
    assert.match(lines.join(""), /^ +"img1": \{[\s\S]+"left_eye"/);
    await page.locator('.line[data-path="facial_areas.img2.w"]').hover();
    assert.equal(await page.locator(".slot:nth-child(2) .face.highlighted").count(), 1);
    assert.equal(await page.locator(".slot:nth-child(1) .face.highlighted").count(), 0);
  });

  for (const [language, same, addSecond] of [
    ["de", /^Dieselbe Person/, /^Fügen Sie ein zweites Bild/],
    ["es", /^La misma persona/, /^Añada una segunda imagen/],
  ] as const) {
    await t.test(`the page and its script speak one language: ${language}`, async (t) => {
      const { page, faults } = await visit(t, "", language);
      await headline(page, same);
      await assertSoundInAllLooks(page, `first-pair-${language}`);
      await choose(page, 0, sample("ada-1"));
      await headline(page, addSecond);
      assert.deepEqual(faults, []);
    });
  }
});

/** Resolves once the headline of the answer is this one. */
const headline = (page: Page, text: RegExp): Promise<void> =>
  page.locator("#headline", { hasText: text }).waitFor();

const choose = (page: Page, slot: number, file: string): Promise<void> =>
  page.locator('.slot input[type="file"]').nth(slot).setInputFiles(file);

async function image(
  folder: string,
  name: string,
  create: { width: number; height: number; background: string },
) {
  const file = join(folder, name);
  await sharp({ create: { ...create, channels: 3 } }).toFile(file);
  return file;
}

const paste = (page: Page, file: string): Promise<void> =>
  page.evaluate(`{
    const clipboardData = ${transferOf(file)};
    document.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }`);

const drop = (page: Page, selector: string, ...files: string[]): Promise<void> =>
  page.evaluate(`{
    const init = { dataTransfer: ${transferOf(...files)}, bubbles: true, cancelable: true };
    document.querySelector("${selector}").dispatchEvent(new DragEvent("drop", init));
  }`);

/** An expression of the page: what a drag or the clipboard holds. */
const transferOf = (...files: string[]): string => `((contents) => {
  const transfer = new DataTransfer();
  for (const content of contents) {
    const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
    transfer.items.add(new File([bytes], "pasted.jpg", { type: "image/jpeg" }));
  }
  return transfer;
})(${JSON.stringify(files.map((file) => readFileSync(file).toString("base64")))})`;

/** Returns how many bytes the page has loaded. */
async function bytesOnTheWire(page: Page): Promise<{ images: number; others: number }> {
  const loaded = await page.evaluate<{ name: string; transferSize: number }[]>(
    `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
      .map(({ name, transferSize }) => ({ name, transferSize }))`,
  );
  const sum = (isImage: boolean): number =>
    loaded
      .filter(({ name }) => /\.(jpg|webp)$/.test(name) === isImage)
      .reduce((total, { transferSize }) => total + transferSize, 0);
  return { images: sum(true), others: sum(false) };
}
