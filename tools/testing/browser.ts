import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Browser, chromium, type Page } from "playwright-core";

/**
 * Returns the path of Chromium on PATH, as Debian's package `chromium` installs it. Undefined if there is
 * none: the caller skips its test and says so.
 */
export async function findChromium(): Promise<string | undefined> {
  const run = promisify(execFile);
  const found = await run("sh", ["-c", "command -v chromium"]).catch(() => undefined);
  return found?.stdout.trim();
}

/** Reason of a test that is skipped for want of Chromium. */
export const withoutChromium =
  "NOT CHECKED in a browser: there is no chromium on PATH (apt-get install chromium)";

/**
 * Opens Chromium without a window. It calls nobody by itself. `cameraFile` is a file of JPEG images one
 * behind the other (.mjpeg), which its camera shows.
 */
export const openChromium = (executablePath: string, cameraFile?: string): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      ...(cameraFile === undefined
        ? []
        : ["--use-fake-device-for-media-stream", `--use-file-for-fake-video-capture=${cameraFile}`]),
      // Tests run as root in containers, where Chromium has no sandbox.
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });

/**
 * Opens an empty page. `faults` grows with everything that a visitor's console would show as an error, and
 * with each violation of the page's Content-Security-Policy.
 */
export async function openPage(browser: Browser, look: PageLook = {}): Promise<WatchedPage> {
  const { width = 1_280, height = 900, colorScheme = "light", headers = {} } = look;
  const context = await browser.newContext({
    extraHTTPHeaders: headers,
    viewport: { width, height },
    colorScheme,
    reducedMotion: "reduce",
  });
  // A busy machine fails no test.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(`${error}`));
  await page.exposeFunction("reportViolation", (violation: string) => void faults.push(violation));
  await page.addInitScript(`document.addEventListener("securitypolicyviolation", (event) =>
    reportViolation(event.violatedDirective + ": " + event.blockedURI));`);
  return { page, faults };
}

/** Size in CSS pixels; 1280 × 900 in light colours by default. `headers` come with every request. */
type PageLook = {
  width?: number;
  height?: number;
  colorScheme?: "light" | "dark";
  headers?: Record<string, string>;
};

type WatchedPage = { page: Page; faults: string[] };
