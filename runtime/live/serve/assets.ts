import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { readTypeface, tokensSheet } from "../../design/style-sheet.ts";
import { firstMessage } from "../../src/thread-message.ts";
import { assetPaths } from "./asset-list.ts";

/**
 * Returns everything that the live page loads, by its path in this package, as browsers take it: TypeScript
 * without its types, and the typeface if it is installed. The files are read when they are first wanted, and
 * then kept.
 */
export function readAssets(): Promise<Map<string, Asset>> {
  if (assets === undefined) {
    assets = load();
    // The next request tries again.
    assets.catch(() => {
      assets = undefined;
    });
  }
  return assets;
}

let assets: Promise<Map<string, Asset>> | undefined;

async function load(): Promise<Map<string, Asset>> {
  const typeface = await readTypeface();
  const files = await Promise.all(
    assetPaths.map(async (path) => ({ path, text: await readAsset(path, typeface !== undefined) })),
  );
  const scripts = files.filter(({ path }) => path.endsWith(".ts"));
  const erased = await eraseTypes(scripts.map(({ text }) => text));
  for (const [i, script] of scripts.entries()) script.text = erased[i]!;
  const assets = new Map<string, Asset>(files.map(({ path, text }) => [path, { type: typeOf(path), text }]));
  if (typeface !== undefined) assets.set("design/geist.woff2", { type: "font/woff2", text: typeface });
  return assets;
}

const readAsset = (path: (typeof assetPaths)[number], hasTypeface: boolean): Promise<string> =>
  path === "design/tokens.css"
    ? tokensSheet(hasTypeface ? "geist.woff2" : undefined)
    : readFile(new URL(`../../${path}`, import.meta.url), "utf8");

/**
 * Erases types in a thread of its own: the first time takes 0.1 s, which a scheduler must not miss. Its
 * option hides a warning that the function of Node may change.
 */
async function eraseTypes(sources: string[]): Promise<string[]> {
  const thread = new Worker(new URL("./erase-types.ts", import.meta.url), {
    workerData: sources,
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  return (await firstMessage(thread, "the scripts of the live page were not prepared")) as string[];
}

function typeOf(path: string): string {
  if (path.endsWith(".html")) return "text/html; charset=utf-8";
  if (path.endsWith(".css")) return "text/css; charset=utf-8";
  return path.endsWith(".svg") ? "image/svg+xml; charset=utf-8" : "text/javascript; charset=utf-8";
}

type Asset = { type: string; text: string | Buffer };
