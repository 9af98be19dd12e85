import { strictPageHeaders } from "../../src/page-headers.ts";
import { readAssets } from "./assets.ts";

/**
 * Answers GET of the live page and of what it loads; undefined: it has no such path. They are the same for
 * everybody and show nothing of the process, which the page fetches from /live.json.
 */
export async function livePage(path: string): Promise<LiveResponse | undefined> {
  if (path !== livePath && !path.startsWith(assetsPath)) return undefined;
  const file = path === livePath ? "live/page.html" : path.slice(assetsPath.length);
  const asset = (await readAssets()).get(file);
  return asset === undefined ? undefined : { ...asset, headers: livePageHeaders };
}

const livePath = "/live";
const assetsPath = "/live/assets/";

const livePageHeaders = strictPageHeaders({
  "font-src": "'self'",
  "img-src": "'self'",
  "form-action": "'none'",
});

type LiveResponse = { type: string; text: string | Buffer; headers: Record<string, string> };
