import { readAssets } from "./assets.ts";

/**
 * Answers GET of the live page and of what it loads; undefined: it has no such path. They are the same for
 * everybody and show nothing of the process, which the page fetches from /live.json.
 */
export async function livePage(path: string): Promise<LiveReply | undefined> {
  if (path !== livePath && !path.startsWith(assetsPath)) return undefined;
  const file = path === livePath ? "live/page.html" : path.slice(assetsPath.length);
  const asset = (await readAssets()).get(file);
  return asset === undefined ? undefined : { ...asset, headers: liveHeaders };
}

const livePath = "/live";
const assetsPath = "/live/assets/";

/** Only what this port serves is loaded, nothing is written as HTML, and no other page may frame it. */
const liveHeaders = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
};

type LiveReply = { type: string; text: string; headers: Record<string, string> };
